// What one panel shows: a map, the descent through it and where it takes a grid. Maps differ in speed by a factor of thousands, so
// that all is computed in pieces, each as large as its time allows, and the page stays alive.
import { kStepNumbers, type Library, type Look, type Plane, type PlaneMap, type Point } from './library.js';

const kGridLines = 25;
export const kGridSamples = 200;
const kPieceMs = 2;
// A map that takes longer to make than this is not made anew while something is dragged.
const kSlowToMakeMs = 12;

// Fills an array piece by piece.
class Pieces {
  filled = 0; // items
  slowness = 0; // ms for an item
  private size = 16;

  constructor(readonly items: number, private readonly fill: (from: number, count: number) => void) {}

  get done(): boolean { return this.filled >= this.items; }

  advance(deadline: number): void {
    while (!this.done && performance.now() < deadline) {
      const count = Math.min(this.size, this.items - this.filled);
      const begun = performance.now();
      this.fill(this.filled, count);
      this.filled += count;
      const took = performance.now() - begun;
      this.slowness = took / count;
      this.size = took < kPieceMs / 2 ? this.size * 2 : took > kPieceMs ? Math.max(1, this.size >> 1) : this.size;
    }
  }
}

export interface Wanted {
  readonly mapKey: string;
  readonly options: object;
  readonly plane: Plane;
  readonly start: Point;
  readonly target: Point;
  readonly step: number;
  readonly steps: number;
  readonly window: readonly [number, number, number, number];
  readonly moving: boolean; // something is being dragged
}

export interface Step { readonly u: Point; readonly x: Point; readonly loss: number }

export class Track {
  problem = ''; // the library's line about a map that cannot be made
  late = false; // the map shown is that of before a drag that still goes on
  private map: PlaneMap | null = null;
  private mapKey = '';
  private makeMs = 0;
  private pathKey = '';
  private path: Float64Array = new Float64Array(0);
  private pathPieces = new Pieces(0, () => undefined);
  private gridKey = '';
  private grid: Float64Array = new Float64Array(0);
  private gridPieces = new Pieces(0, () => undefined);

  constructor(private readonly library: Library) {}

  want(wanted: Wanted): void {
    this.late = wanted.moving && this.makeMs > kSlowToMakeMs && wanted.mapKey !== this.mapKey;
    if (this.late) return;
    if (wanted.mapKey !== this.mapKey) this.make(wanted);
    if (!this.map) return;
    this.wantPath(this.map, wanted);
    this.wantGrid(this.map, wanted);
  }

  private make(wanted: Wanted): void {
    this.mapKey = wanted.mapKey;
    const begun = performance.now();
    this.map?.free();
    this.map = null;
    this.pathKey = this.gridKey = '';
    this.pathPieces = this.gridPieces = new Pieces(0, () => undefined);
    try {
      this.map = wanted.plane.map(wanted.options);
      this.problem = '';
    } catch (error) {
      this.problem = (error as Error).message;
    }
    this.makeMs = performance.now() - begun;
  }

  private wantPath(map: PlaneMap, { start, target, step, steps }: Wanted): void {
    const key = [start, target, step, steps].join(' ');
    if (key === this.pathKey) return;
    this.pathKey = key;
    const path = this.path = new Float64Array(kStepNumbers * (steps + 1));
    // The first piece brings the start, every other one begins where the last one ended.
    this.pathPieces = new Pieces(steps + 1, (from, count) => {
      const known = Math.max(from - 1, 0);
      const begin: Point = from === 0 ? start : [path[kStepNumbers * known]!, path[kStepNumbers * known + 1]!];
      path.set(map.descend(begin, target, step, from + count - 1 - known), kStepNumbers * known);
    });
  }

  private wantGrid(map: PlaneMap, { window }: Wanted): void {
    const key = window.join(' ');
    if (key === this.gridKey) return;
    this.gridKey = key;
    const grid = this.grid = this.library.grid(window, kGridLines, kGridSamples);
    this.gridPieces = new Pieces(grid.length / 2, (from, count) => {
      grid.set(map.project(grid.slice(2 * from, 2 * (from + count))), 2 * from);
    });
  }

  advancePath(deadline: number): void { this.pathPieces.advance(deadline); }
  advanceGrid(deadline: number): void { this.gridPieces.advance(deadline); }

  // Milliseconds for an item, by what was computed last.
  get slowness(): number { return Math.max(this.pathPieces.slowness, this.gridPieces.slowness); }

  get done(): boolean { return this.pathPieces.done && this.gridPieces.done; }

  get ready(): boolean { return this.map !== null; }

  // Steps that are known, the start among them.
  get steps(): number { return this.pathPieces.filled; }
  get finished(): boolean { return this.pathPieces.items > 0 && this.pathPieces.done; }

  // kStepNumbers for each of the steps that are known: u, x and the loss.
  get data(): Float64Array { return this.path; }

  loss(step: number): number { return this.path[kStepNumbers * step + 4]!; }

  at(step: number): Step {
    const base = kStepNumbers * Math.min(step, this.steps - 1);
    const [u0 = 0, u1 = 0, x0 = 0, x1 = 0, loss = 0] = this.path.subarray(base, base + kStepNumbers);
    return { u: [u0, u1], x: [x0, x1], loss };
  }

  // Where the map takes the grid; null until all of it is known.
  get warped(): Float64Array | null { return this.gridPieces.items > 0 && this.gridPieces.done ? this.grid : null; }

  look(u: readonly number[]): Look | null { return this.map?.look(u) ?? null; }
}
