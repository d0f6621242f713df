// node assemble.mjs SCRIPT WASM FOLDER: the page as a folder to serve, index.html with its script and the library beside it, and
// as one file, playground.html, with everything inside.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const [script, wasm, folder] = process.argv.slice(2);
const text = file => readFile(new URL(file, import.meta.url), 'utf8');
const page = await text('page.html');
const style = `<style>\n${await text('page.css')}</style>`;
const code = await readFile(script, 'utf8');
const library = await readFile(wasm);

// The page may run what is in it and ask for its own library, nothing else.
const policy = connect => `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; ` +
  `script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; img-src data:; connect-src ${connect}">`;
// Functions, because the texts have dollar signs, which mean something in a plain replacement.
const whole = (head, body) => page.replace('<!-- style -->', () => head).replace('<!-- script -->', () => body);

await mkdir(folder, { recursive: true });
await writeFile(`${folder}/playground.js`, code);
await writeFile(`${folder}/softradial.wasm`, library);
await writeFile(`${folder}/index.html`,
  whole(`${policy("'self'")}\n${style}`, '<script type="module" src="playground.js"></script>'));
const inside = gzipSync(library, { level: 9 }).toString('base64');
await writeFile(`${folder}/playground.html`, whole(`${policy("'none'")}\n${style}`,
  `<script type="text/plain" id="wasm">${inside}</script>\n<script type="module">${code.replaceAll('</script', '<\\/script')}</script>`));
