// node validate.mjs PACKAGES FILE...: the Khronos validator on each glb. Every error and warning, and
// every information but that of nodes without content (bodies that have no shape), fails.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [packages, ...files] = process.argv.slice(2);
const validator = createRequire(`${resolve(packages)}/`)("gltf-validator");
const allowed = new Set(["NODE_EMPTY"]);

let failed = files.length === 0;
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
  const found = report.issues.messages.filter((message) => !allowed.has(message.code));
  for (const { code, message, pointer } of found) console.error(`${file}: ${code} at ${pointer}: ${message}`);
  failed ||= found.length > 0 || report.issues.truncated;
  const { animationCount, materialCount, drawCallCount, totalVertexCount } = report.info;
  console.log(`${file}: ${animationCount} animation, ${materialCount} materials, ${drawCallCount} draws, ${totalVertexCount} vertices`);
}
process.exit(failed ? 1 : 0);
