// Runs every model of a folder in onnxruntime-web and compares it with what PyTorch gave.
//
//   node run.mjs FOLDER NODE_MODULES
//
// FOLDER holds pairs name.onnx, name.json: {"z": [...], "shape": [rows, inputs], "x": [...]}. Prints one JSON object:
// for each name the largest |x - expected|, or the message of what failed.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const [folder, modules] = process.argv.slice(2);
const ort = createRequire(path.join(path.resolve(modules), 'index.js'))('onnxruntime-web');
ort.env.wasm.numThreads = 1;

async function largestError(name) {
  const expected = JSON.parse(fs.readFileSync(path.join(folder, `${name}.json`)));
  const model = fs.readFileSync(path.join(folder, `${name}.onnx`));
  const session = await ort.InferenceSession.create(model, { executionProviders: ['wasm'] });
  const z = new ort.Tensor('float32', Float32Array.from(expected.z), expected.shape);
  const { x } = await session.run({ z });
  if (x.data.length !== expected.x.length) throw new Error(`x has ${x.data.length} numbers, not ${expected.x.length}`);
  // A NaN must not compare as small.
  return expected.x.reduce((worst, value, i) => {
    const error = Math.abs(x.data[i] - value);
    return error <= worst ? worst : error;
  }, 0);
}

const errors = {};
for (const file of fs.readdirSync(folder).filter((file) => file.endsWith('.onnx'))) {
  const name = path.basename(file, '.onnx');
  errors[name] = await largestError(name).catch((error) => String(error));
}
console.log(JSON.stringify(errors));
process.exit(0);
