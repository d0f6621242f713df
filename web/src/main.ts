import { Library } from './library.js';
import { Playground } from './playground.js';

// The library lies in the page itself, compressed and as text, or beside it.
async function libraryBytes(): Promise<BufferSource> {
  const inside = document.getElementById('wasm')?.textContent;
  if (!inside) return (await fetch('softradial.wasm')).arrayBuffer();
  const packed = Uint8Array.from(atob(inside), letter => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

Library.load(await libraryBytes()).then(
  library => {
    Object.assign(window, { playground: new Playground(library) });
    performance.mark('drawn');
  },
  (error: unknown) => { document.getElementById('say')!.className = 'problem'; document.getElementById('say')!.textContent = String(error); });
