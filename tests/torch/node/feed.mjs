// Runs one model in onnxruntime-web.
//
//   node feed.mjs MODEL.onnx NODE_MODULES < inputs.json
//
// Inputs by name: {"type", "dims", "data"}. Prints one JSON object, outputs by name: {"dims", "data"}, NaN as null; or
// {"error"} if the runtime refuses.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const [file, modules] = process.argv.slice(2);
const ort = createRequire(path.join(path.resolve(modules), 'index.js'))('onnxruntime-web');
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'fatal';

const NUMBERS = { float64: Float64Array, float32: Float32Array };
const numbers = (type, data) => (type === 'int64' ? BigInt64Array.from(data, BigInt) : NUMBERS[type].from(data));

async function run() {
  const session = await ort.InferenceSession.create(fs.readFileSync(file), { executionProviders: ['wasm'] });
  const inputs = JSON.parse(fs.readFileSync(0));
  const feeds = {};
  for (const [name, { type, dims, data }] of Object.entries(inputs)) {
    feeds[name] = new ort.Tensor(type, numbers(type, data), dims);
  }
  const outputs = Object.entries(await session.run(feeds));
  return Object.fromEntries(outputs.map(([name, { dims, data }]) => [name, { dims, data: Array.from(data) }]));
}

console.log(JSON.stringify(await run().catch((error) => ({ error: String(error) }))));
process.exit(0);
