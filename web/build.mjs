// Bundle the report's script and style: node build.mjs [FOLDER]   (default: dist)
import { build } from "esbuild";

const outdir = process.argv[2] ?? "dist";

await build({
  entryPoints: ["report/report.js", "report/report.css"],
  outdir,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  legalComments: "eof",
  banner: { js: "/* Contains three.js and uPlot, both under the MIT licence. uPlot (c) 2025 Leon Sorokin. */" },
  logLevel: "warning",
});
