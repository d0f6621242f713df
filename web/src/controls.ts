// The fields under the pictures: each shows a part of the state and changes it.
import { full } from './text.js';
import { kContractions, kMostSteps, kOwn, kPolygon, kSets, kSituations, withSet, withSituation, type State } from './state.js';

export interface ControlEvents {
  change(patch: Partial<State>): void;
  ownSet(json: string): void;
  state(): State;
  // A point that was typed, in the set's own space; null: the library's own anchor.
  place(name: 'u' | 'target' | 'anchor', numbers: readonly number[] | null): void;
}

export function element<T extends Element = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found as unknown as T;
}

// Sliders move over powers of ten, from the first to the last.
const kSliders = { lambda: [-2, 2], epsilon: [-4, -0.31], step: [-2, 2], steps: [1, Math.log10(kMostSteps)] } as const;
type Slider = keyof typeof kSliders;

export class Controls {
  private readonly set = element<HTMLSelectElement>('set');
  private readonly json = element<HTMLTextAreaElement>('json');
  private readonly contraction = element<HTMLSelectElement>('contraction');
  private readonly points = element('points');
  private readonly chips: HTMLButtonElement[];

  constructor(private readonly events: ControlEvents) {
    this.set.append(...Object.entries(kSets).map(([name, { title }]) => new Option(title, name)), new Option('your own SET.json', kOwn));
    this.set.addEventListener('change', () => {
      if (this.set.value === kOwn) events.ownSet(this.json.value); else events.change(withSet(events.state(), this.set.value));
    });
    this.json.addEventListener('input', () => events.ownSet(this.json.value));
    this.contraction.append(...kContractions.map(word => new Option(word)));
    this.contraction.addEventListener('change', () => events.change({ contraction: this.contraction.value }));
    for (const name of Object.keys(kSliders) as Slider[]) this.wireSlider(name);
    this.chips = kSituations.map(situation => {
      const chip = document.createElement('button');
      chip.type = 'button';
      chip.textContent = situation.title;
      chip.addEventListener('click', () => {
        events.change(withSituation(events.state(), situation));
        this.press(chip);
        element('what').textContent = situation.what;
      });
      return chip;
    });
    element('situations').append(...this.chips);
    element('add-corner').addEventListener('click', () => {
      const { corners } = events.state();
      const [first, last] = [corners[0]!, corners[corners.length - 1]!];
      events.change({ corners: [...corners, [(first[0] + last[0]) / 2, (first[1] + last[1]) / 2]] });
    });
    element('remove-corner').addEventListener('click', () => {
      const { corners } = events.state();
      if (corners.length > 3) events.change({ corners: corners.slice(0, -1) });
    });
  }

  // The chip of the situation that is shown; null after the visitor has changed something.
  press(chip: HTMLButtonElement | null): void {
    for (const each of this.chips) each.setAttribute('aria-pressed', String(each === chip));
    if (!chip) element('what').textContent = '';
  }

  pressFirst(): void {
    this.press(this.chips[0]!);
    element('what').textContent = kSituations[0]!.what;
  }

  private wireSlider(name: Slider): void {
    const range = element<HTMLInputElement>(`${name}-range`);
    const number = element<HTMLInputElement>(name);
    const [low, high] = kSliders[name];
    Object.assign(range, { min: String(low), max: String(high), step: '0.01' });
    const rounded = (value: number): number => (name === 'steps' ? Math.round(value) : Number(value.toPrecision(3)));
    range.addEventListener('input', () => this.events.change({ [name]: rounded(10 ** Number(range.value)) }));
    number.addEventListener('change', () => {
      const value = Number(number.value);
      const fits = value > 0 && (name !== 'steps' || (Number.isInteger(value) && value <= kMostSteps));
      if (fits) this.events.change({ [name]: value }); else number.value = String(this.events.state()[name]);
    });
  }

  show(state: State, json: string, anchor: readonly number[], problem: string): void {
    this.set.value = state.set;
    element('corner-buttons').hidden = state.set !== kPolygon;
    if (state.set !== kOwn && this.json.value !== json) this.json.value = json;
    if (state.set === kOwn && this.json.value !== state.json) this.json.value = state.json;
    const line = element('json-problem');
    line.hidden = problem === '';
    line.textContent = problem;
    this.contraction.value = state.contraction;
    for (const name of Object.keys(kSliders) as Slider[]) {
      const number = element<HTMLInputElement>(name);
      if (document.activeElement !== number) number.value = String(state[name]);
      element<HTMLInputElement>(`${name}-range`).value = String(Math.log10(state[name]));
    }
    this.showPoint('u', state.u);
    this.showPoint('target', state.target);
    this.showPoint('anchor', anchor);
    element<HTMLButtonElement>('find-anchor').disabled = state.anchor === null;
  }

  private showPoint(name: 'u' | 'target' | 'anchor', numbers: readonly number[]): void {
    let row = this.points.querySelector<HTMLElement>(`[data-point=${name}]`);
    if (row?.querySelectorAll('input').length !== numbers.length) {
      const made = this.makePoint(name, numbers.length);
      if (row) row.replaceWith(made); else this.points.append(made);
      row = made;
    }
    if (row.dataset.value === full(numbers)) return;
    row.dataset.value = full(numbers);
    row.querySelectorAll('input').forEach((field, i) => { field.value = String(numbers[i]); });
  }

  private makePoint(name: 'u' | 'target' | 'anchor', dim: number): HTMLElement {
    const row = document.createElement('div');
    row.className = 'point';
    row.dataset.point = name;
    row.setAttribute('role', 'group');
    row.setAttribute('aria-label', name);
    row.innerHTML = `<span>${name}</span>`;
    for (let i = 0; i < dim; ++i) {
      const field = document.createElement('input');
      field.type = 'number';
      field.step = 'any';
      field.setAttribute('aria-label', `${name}, coordinate ${i + 1}`);
      field.addEventListener('change', () => {
        const numbers = [...row.querySelectorAll('input')].map(each => each.valueAsNumber);
        if (numbers.every(Number.isFinite)) this.events.place(name, numbers); else field.value = row.dataset.value!.split(', ')[i]!;
      });
      row.append(field);
    }
    if (name === 'anchor') {
      const find = document.createElement('button');
      find.type = 'button';
      find.id = 'find-anchor';
      find.textContent = 'find';
      find.addEventListener('click', () => this.events.place('anchor', null));
      row.append(find);
    }
    return row;
  }
}
