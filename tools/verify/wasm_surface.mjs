// The library as WebAssembly for ./dev verify: reads calls from standard input and answers on standard output. Both are the
// length of a line of JSON in four bytes, the line, and the numbers that it announces ("bytes").
import { readFileSync, readSync, writeSync } from 'node:fs';

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
const { memory, ...library } = new WebAssembly.Instance(module, imports).exports;
library._initialize();

// Memory that is freed when the call is over. It may grow with every allocation: views are made anew.
let taken = [];
function place(size) {
  const at = library.malloc(Math.max(1, size));
  if (at === 0) throw new Error('out of memory');
  taken.push(at);
  return at;
}
function put(bytes) {
  const at = place(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  return at;
}
const bytesAt = (at, size) => new Uint8Array(memory.buffer, at, size).slice();
const wordAt = at => new DataView(memory.buffer).getUint32(at, true);

// What the library says of a call that it refuses. Anything else that is thrown, a trap for example, ends the program.
class Refusal extends Error {}
function check(status) {
  if (status === 0) return;
  const length = place(4);
  const text = library.sr_error_text(length);
  throw new Refusal(new TextDecoder().decode(bytesAt(text, wordAt(length))));
}

// The word that a call writes to its last argument: a handle or a size.
function written(call, ...given) {
  const out = place(4);
  check(library[call](...given, out));
  return wordAt(out);
}

// sr_rows: a pointer, a count, a width and a stride of 32 bits each; the convention passes a struct by its address.
function rows(at, count, dim) {
  const out = place(16);
  const view = new DataView(memory.buffer);
  [at, count, dim, dim].forEach((word, k) => view.setUint32(out + 4 * k, word, true));
  return out;
}

const calls = {
  set_types: () => {
    const size = written('sr_set_types', 0, 0);
    const out = place(size);
    check(library.sr_set_types(out, size, place(4)));
    return bytesAt(out, size);
  },
  parse: ({ text }) => written('sr_set_parse', ...put_text(text)),
  layer: ({ handle, text }) => written('sr_layer_make', handle, ...put_text(text)),
  dim: ({ handle }) => written('sr_set_dim', handle),
  free_set: ({ handle }) => (library.sr_set_free(handle), 0),
  free_layer: ({ handle }) => (library.sr_layer_free(handle), 0),
  anchor_of_set: ({ handle, dim }) => {
    const out = place(8 * dim);
    check(library.sr_set_find_anchor(handle, 0, 0, out, dim, 0, 0));
    return bytesAt(out, 8 * dim);
  },
  anchor_of_layer: ({ handle, dim }) => {
    const out = place(8 * dim);
    check(library.sr_layer_anchor(handle, out, dim));
    return bytesAt(out, 8 * dim);
  },
  // `width` 0: one number a row, by a pointer and a length.
  rows: ({ function: name, handle, count, dim, width, size }, arrays) => {
    const given = arrays.map(array => rows(put(array), count, dim));
    const total = count * Math.max(1, width);
    const out = place(size * total);
    check(width > 0 ? library[name](handle, ...given, rows(out, count, width)) : library[name](handle, ...given, out, count));
    return bytesAt(out, size * total);
  },
};
function put_text(text) {
  const bytes = new TextEncoder().encode(text);
  return [put(bytes), bytes.length];
}

function readExactly(size) {
  const out = Buffer.alloc(size);
  for (let done = 0; done < size;) {
    const count = readSync(0, out, done, size - done, null);
    if (count === 0) return null;
    done += count;
  }
  return out;
}
function answer(head, bytes = new Uint8Array(0)) {
  const line = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(line.length);
  const whole = Buffer.concat([length, line, bytes]);
  for (let done = 0; done < whole.length;) done += writeSync(1, whole, done);
}

for (let start = readExactly(4); start !== null; start = readExactly(4)) {
  const { call, bytes, ...words } = JSON.parse(readExactly(start.readUInt32LE(0)).toString());
  const arrays = bytes.map(size => (size > 0 ? readExactly(size) : Buffer.alloc(0)));
  try {
    const found = calls[call](words, arrays);
    if (typeof found === 'number') answer({ value: found });
    else answer({ bytes: found.length }, found);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    answer({ error: error.message });
  }
  for (const at of taken) library.free(at);
  taken = [];
}
