// The colours of the style sheet, for what draws itself; they change with the reader's light or dark
// setting.
const dark = matchMedia("(prefers-color-scheme: dark)");

export function theme() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    get,
    dark: dark.matches,
    muted: get("--muted"),
    line: get("--line"),
    accent: get("--accent"),
    text: get("--text"),
    font: `12px ${style.getPropertyValue("--font")}`,
    colors: get("--curves").split(/\s+/),
  };
}

export function onTheme(listener) {
  dark.addEventListener("change", listener);
}
