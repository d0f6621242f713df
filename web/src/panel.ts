// One method in the plane: a canvas with what it does, and handles over it for what can be dragged.
import { short, shortPoint } from './text.js';
import { kGridSamples, type Track } from './track.js';
import { kStepNumbers, type Method, type Point } from './library.js';

export interface Scene {
  readonly boundary: Float64Array; // pairs of coordinates
  readonly handles: readonly { readonly name: string; readonly kind: string; readonly at: Point }[];
  readonly window: readonly [number, number, number, number]; // left, bottom, right, top
  readonly shown: number; // the step that is shown
}

export interface PanelEvents {
  choose(method: string): void;
  // `at` in the plane; `moving` until the pointer is let go.
  drag(handle: string, at: Point, moving: boolean): void;
  remove(handle: string): void;
  resized(): void;
}

// A line that moves less than this between two samples is not drawn to: most of a warped grid lies on itself.
const kLeastPixels = 0.8;
const kArrows: Readonly<Record<string, Point>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
// Of the picture's width, for one press of an arrow key, and with shift.
const kKeyShare = 0.01;
const kShiftShare = 0.1;

export class Panel {
  readonly figure: HTMLElement;
  private readonly select: HTMLSelectElement;
  private readonly word: HTMLElement;
  private readonly numbers: HTMLElement;
  private readonly problem: HTMLElement;
  private readonly picture: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly handles = new Map<string, HTMLButtonElement>();
  private scene: Scene | null = null;
  private keyboard = false;
  // The grid is drawn once for each map and window.
  private readonly gridCanvas = document.createElement('canvas');
  private gridDrawn: unknown[] = [];
  // What the page knows about the canvas. Asking in every frame would lay out the page in each.
  private width = 0; // of the page's pixels
  private height = 0;
  private colors: Readonly<Record<'set' | 'mine' | 'ink' | 'page', string>> | null = null;
  private readonly shownHandles = new Map<string, string>();

  constructor(index: number, methods: readonly Method[], private readonly events: PanelEvents) {
    this.figure = document.createElement('figure');
    this.figure.className = 'panel';
    this.figure.id = `panel-${index}`;
    this.figure.innerHTML = `<figcaption><label>Method ${index + 1} <select></select></label> <strong></strong> <span class="numbers"></span></figcaption>
      <div class="picture"><canvas role="img"></canvas></div><p class="problem" role="status" hidden></p>`;
    this.select = this.figure.querySelector('select')!;
    this.word = this.figure.querySelector('strong')!;
    this.numbers = this.figure.querySelector('.numbers')!;
    this.problem = this.figure.querySelector('.problem')!;
    this.picture = this.figure.querySelector('.picture')!;
    this.canvas = this.figure.querySelector('canvas')!;
    this.select.append(...methods.map(method => new Option(method.name.replaceAll('_', ' '), method.name)));
    this.select.addEventListener('change', () => events.choose(this.select.value));
    new ResizeObserver(() => {
      this.measure();
      events.resized();
    }).observe(this.canvas);
    this.canvas.addEventListener('click', event => events.drag('u', this.pointAt(event), false));
  }

  // Which methods take the set: '' or the library's line why not.
  setReasons(reasons: ReadonlyMap<string, string>): void {
    for (const option of this.select.options) {
      const reason = reasons.get(option.value) ?? '';
      option.disabled = reason !== '';
      option.title = reason;
    }
  }

  // Handles take part in the tab order in one panel only: they are the same in all.
  setKeyboard(on: boolean): void {
    this.keyboard = on;
    for (const handle of this.handles.values()) handle.tabIndex = on ? 0 : -1;
  }

  draw(method: string, track: Track, scene: Scene, verdict: readonly [string, string]): void {
    this.scene = scene;
    if (this.select.value !== method) this.select.value = method;
    this.problem.hidden = track.problem === '';
    say(this.problem, track.problem);
    say(this.word, verdict[0]);
    say(this.numbers, verdict[1]);
    this.figure.classList.toggle('late', track.late);
    this.placeHandles(scene);
    if (this.resize()) this.paint(track, scene);
    this.canvas.setAttribute('aria-label', this.description(method, track, scene, verdict[0]));
  }

  // The page has become light or dark.
  recolor(): void { this.colors = null; }

  private description(method: string, track: Track, scene: Scene, word: string): string {
    const name = method.replaceAll('_', ' ');
    if (!track.ready || track.steps === 0) return `${name}: ${track.problem}`;
    const { u, x, loss } = track.at(scene.shown);
    return `${name}: ${word}. At step ${Math.min(scene.shown, track.steps - 1)} u is ${shortPoint(u)}, x ${shortPoint(x)}, the loss ${short(loss)}.`;
  }

  private measure(): void { ({ clientWidth: this.width, clientHeight: this.height } = this.canvas); }

  private resize(): boolean {
    if (this.width === 0) this.measure();
    if (this.width === 0) return false; // a tab that is not shown
    const scale = window.devicePixelRatio;
    const width = Math.round(this.width * scale);
    const height = Math.round(this.height * scale);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    return true;
  }

  private toCanvas(point: Point, { window: [left, bottom, right, top] }: Scene): Point {
    return [(point[0] - left) / (right - left) * this.canvas.width, (top - point[1]) / (top - bottom) * this.canvas.height];
  }

  private pointAt(event: MouseEvent): Point {
    const [left, bottom, right, top] = this.scene!.window;
    const box = this.canvas.getBoundingClientRect();
    return [left + (event.clientX - box.left) / box.width * (right - left), top - (event.clientY - box.top) / box.height * (top - bottom)];
  }

  private placeHandles(scene: Scene): void {
    const names = new Set(scene.handles.map(handle => handle.name));
    for (const [name, handle] of this.handles) {
      if (names.has(name)) continue;
      handle.remove();
      this.handles.delete(name);
      this.shownHandles.delete(name);
    }
    const [left, bottom, right, top] = scene.window;
    for (const { name, kind, at } of scene.handles) {
      const shown = [...at, ...scene.window].join(' ');
      if (this.shownHandles.get(name) === shown) continue;
      this.shownHandles.set(name, shown);
      const handle = this.handles.get(name) ?? this.makeHandle(name, kind);
      const x = (at[0] - left) / (right - left);
      const y = (top - at[1]) / (top - bottom);
      const inside = Math.min(Math.max(x, 0.02), 0.98);
      const within = Math.min(Math.max(y, 0.02), 0.98);
      handle.style.left = `${100 * inside}%`;
      handle.style.top = `${100 * within}%`;
      const off = x < 0 || x > 1 || y < 0 || y > 1;
      handle.classList.toggle('off', off);
      handle.setAttribute('aria-label', `${name} at ${shortPoint(at)}${off ? ', outside the picture' : ''}`);
      handle.dataset.at = off ? shortPoint(at) : '';
      handle.dataset.side = inside > 0.75 ? 'right' : 'left';
    }
  }

  private makeHandle(name: string, kind: string): HTMLButtonElement {
    const handle = document.createElement('button');
    handle.type = 'button';
    handle.className = `handle ${kind}`;
    handle.dataset.handle = name;
    handle.title = `${name}: drag it, or use the arrow keys`;
    handle.tabIndex = this.keyboard ? 0 : -1;
    let dragging = false;
    handle.addEventListener('pointerdown', event => {
      dragging = true;
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener('pointermove', event => { if (dragging) this.events.drag(name, this.pointAt(event), true); });
    const end = (event: PointerEvent): void => {
      if (!dragging) return;
      dragging = false;
      if (event.type === 'pointerup') this.events.drag(name, this.pointAt(event), false);
    };
    handle.addEventListener('pointerup', end);
    handle.addEventListener('pointercancel', end);
    handle.addEventListener('keydown', event => this.key(name, event));
    this.picture.append(handle);
    this.handles.set(name, handle);
    return handle;
  }

  private key(name: string, event: KeyboardEvent): void {
    const arrow = kArrows[event.key];
    const at = this.scene?.handles.find(handle => handle.name === name)?.at;
    if (arrow && at && this.scene) {
      event.preventDefault();
      const [left, , right] = this.scene.window;
      const stride = (right - left) * (event.shiftKey ? kShiftShare : kKeyShare);
      this.events.drag(name, [at[0] + stride * arrow[0], at[1] + stride * arrow[1]], false);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      this.events.remove(name);
    }
  }

  private paint(track: Track, scene: Scene): void {
    const context = this.canvas.getContext('2d')!;
    const { set, mine, ink, page } = this.colors ??= this.readColors();
    const scale = window.devicePixelRatio;
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.paintSet(context, scene, set, scale);
    this.paintGrid(context, track, scene, mine, scale);
    if (track.ready && track.steps > 0) this.paintDescent(context, track, scene, mine, ink, page, scale);
  }

  private readColors(): NonNullable<Panel['colors']> {
    const style = getComputedStyle(this.figure);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    return { set: color('--set'), mine: color('--mine'), ink: color('--ink'), page: color('--page') };
  }

  // A line through every `stride`-th pair of numbers, from the one at `first`. The same as toCanvas, without an array for each.
  private trace(context: CanvasRenderingContext2D, { window: [left, bottom, right, top] }: Scene, data: Float64Array, first: number,
    stride: number, count: number): void {
    const across = this.canvas.width / (right - left);
    const down = this.canvas.height / (top - bottom);
    context.beginPath();
    for (let k = 0, i = first; k < count; ++k, i += stride) context.lineTo((data[i]! - left) * across, (top - data[i + 1]!) * down);
  }

  private paintSet(context: CanvasRenderingContext2D, scene: Scene, color: string, scale: number): void {
    this.trace(context, scene, scene.boundary, 0, 2, scene.boundary.length / 2);
    context.closePath();
    context.fillStyle = context.strokeStyle = color;
    context.globalAlpha = 0.1;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 1.6 * scale;
    context.stroke();
  }

  private paintGrid(context: CanvasRenderingContext2D, track: Track, scene: Scene, color: string, scale: number): void {
    const warped = track.warped;
    if (!warped) return;
    const { width, height } = this.canvas;
    const drawn = [warped, color, width, height, ...scene.window];
    if (drawn.some((part, i) => part !== this.gridDrawn[i])) {
      this.gridDrawn = drawn;
      this.gridCanvas.width = width;
      this.gridCanvas.height = height;
      const grid = this.gridCanvas.getContext('2d')!;
      grid.beginPath();
      const least = kLeastPixels * scale;
      const [left, bottom, right, top] = scene.window;
      const across = width / (right - left);
      const down = height / (top - bottom);
      let lastX = 0;
      let lastY = 0;
      for (let i = 0; i < warped.length; i += 2) {
        const x = (warped[i]! - left) * across;
        const y = (top - warped[i + 1]!) * down;
        const begins = i / 2 % kGridSamples === 0;
        if (!begins && Math.abs(x - lastX) + Math.abs(y - lastY) < least) continue;
        if (begins) grid.moveTo(x, y); else grid.lineTo(x, y);
        lastX = x;
        lastY = y;
      }
      grid.strokeStyle = color;
      grid.lineWidth = 0.6 * scale;
      grid.globalAlpha = 0.45;
      grid.stroke();
    }
    context.drawImage(this.gridCanvas, 0, 0);
  }

  private paintDescent(context: CanvasRenderingContext2D, track: Track, scene: Scene, mine: string, ink: string, page: string, scale: number): void {
    const last = Math.min(scene.shown, track.steps - 1);
    const line = (of: 'u' | 'x'): void => {
      this.trace(context, scene, track.data, of === 'u' ? 0 : 2, kStepNumbers, last + 1);
      context.stroke();
    };
    const now = track.at(last);
    const u = this.toCanvas(now.u, scene);
    const x = this.toCanvas(now.x, scene);
    // How u is taken to x.
    context.strokeStyle = ink;
    context.lineWidth = scale;
    context.globalAlpha = 0.55;
    context.setLineDash([4 * scale, 4 * scale]);
    context.beginPath();
    context.moveTo(...u);
    context.lineTo(...x);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 0.7;
    line('u');
    context.globalAlpha = 1;
    context.strokeStyle = mine;
    context.lineWidth = 3 * scale;
    context.lineJoin = 'round';
    line('x');
    const dot = (at: Point, radius: number, fill: string, stroke: string): void => {
      context.beginPath();
      context.arc(...at, radius * scale, 0, 2 * Math.PI);
      context.fillStyle = fill;
      context.fill();
      context.strokeStyle = stroke;
      context.lineWidth = 1.6 * scale;
      context.stroke();
    };
    dot(u, 4, page, ink);
    dot(x, 5, mine, page);
  }
}

// A text that is the same is not written again: the page would be laid out anew.
function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
