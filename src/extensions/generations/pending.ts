import type { Mutable } from '../../core/model/timing.ts';
import type { CallLabels, CallLoss } from '../../core/telemetry/records.ts';
import { dialectNames } from '../../dialects/registry.ts';
import {
  idOf,
  type LostPath,
  most,
  newWork,
  overflow,
  type Use,
  type UseCounts,
  type UseKey,
  wireBindings,
} from './model.ts';

interface PendingUse extends UseKey, Mutable<UseCounts> {
  firstAt: number;
  lastAt: number;
  readonly lost: Map<string, Mutable<LostPath>>;
}

/** Agents answer with paths too, in `A2A-Gateway-Loss`: what is no path is not kept. */
const schemaPath = /^[A-Za-z][\w[\]]*(?:\.[\w[\]]+)*$/;
/** Characters. */
const longest = 200;

const generations: ReadonlySet<string> = new Set(dialectNames);

/** Whether calls of a dialect over a binding are of a generation of A2A. */
const isOfGeneration = (dialect: string, binding: string): boolean =>
  generations.has(dialect) && wireBindings.has(binding);

/** Counts that are not stored yet. */
export class PendingUses {
  #uses = new Map<string, PendingUse>();

  /** The entries by principal and labels of calls. */
  #byLabels = new Map<string, Map<CallLabels, PendingUse>>();

  /** Counts a call. */
  readonly called = (principal: string, labels: CallLabels, at: number): void => {
    const use = this.#byLabels.get(principal)?.get(labels) ?? this.#labeled(principal, labels, at);
    if (!use) return;
    use.calls += 1;
    if (newWork.has(labels.operation)) use.newWork += 1;
    use.lastAt = at;
  };

  #labeled(principal: string, labels: CallLabels, at: number): PendingUse | undefined {
    const { agent, dialect: generation, binding } = labels;
    if (agent === '' || !isOfGeneration(generation, binding)) return undefined;
    const use = this.#useOf({ generation, principal, agent, binding }, at);
    const ofPrincipal = this.#byLabels.get(principal) ?? new Map<CallLabels, PendingUse>();
    // The one entry of all further callers would remember each of them.
    if (use.generation !== overflow.generation) this.#byLabels.set(principal, ofPrincipal.set(labels, use));
    return use;
  }

  /** Counts a field that a call lost. A stream may lose fields long after its call was counted. */
  readonly lost = ({ context, path, agentDialect = '', at }: CallLoss): void => {
    const { principal, agent, dialect, binding = 'local' } = context;
    if (agent === '' || !isOfGeneration(dialect, binding) || path.length > longest || !schemaPath.test(path)) return;
    const use = this.#useOf({ generation: dialect, principal: principal.id, agent, binding }, at);
    addPath(use, { path, agentDialect, count: 1, lastAt: at });
  };

  /** Counts a call that a sunset refuses, or would refuse. */
  note(key: UseKey, outcome: 'refused' | 'wouldBeRefused'): void {
    this.#add(key, Date.now(), { [outcome]: 1 });
  }

  #useOf(key: UseKey, at: number): PendingUse {
    const known = this.#uses.get(idOf(key));
    if (known) return known;
    const isFull = this.#uses.size >= most.uses && key !== overflow;
    if (isFull) return this.#useOf(overflow, at);
    const { generation, principal, agent, binding } = key;
    const counts = { calls: 0, newWork: 0, wouldBeRefused: 0, refused: 0 };
    const use = { generation, principal, agent, binding, ...counts, firstAt: at, lastAt: at, lost: new Map() };
    this.#uses.set(idOf(key), use);
    return use;
  }

  #add(key: UseKey, at: number, { calls = 0, newWork: work = 0, wouldBeRefused = 0, refused = 0 }: Partial<UseCounts>) {
    const use = this.#useOf(key, at);
    use.calls += calls;
    use.newWork += work;
    use.wouldBeRefused += wouldBeRefused;
    use.refused += refused;
    use.firstAt = Math.min(use.firstAt, at);
    use.lastAt = Math.max(use.lastAt, at);
    return use;
  }

  /** Removes and returns everything. */
  take(): Use[] {
    const taken = [...this.#uses.values()].map((use) => ({ ...use, lost: [...use.lost.values()] }));
    this.#uses = new Map();
    this.#byLabels = new Map();
    return taken;
  }

  /** Puts back what could not be stored. */
  putBack(uses: readonly Use[]): void {
    for (const { lost, firstAt, lastAt, ...use } of uses) {
      this.#add(use, firstAt, use);
      const pending = this.#add(use, lastAt, {});
      for (const path of lost) addPath(pending, path);
    }
  }
}

function addPath({ generation, lost }: PendingUse, { path, agentDialect, count, lastAt }: LostPath): void {
  const key = `${agentDialect} ${path}`;
  const known = lost.get(key);
  if (known) {
    known.count += count;
    known.lastAt = Math.max(known.lastAt, lastAt);
  } else if (generation !== overflow.generation && lost.size < most.paths) {
    lost.set(key, { path, agentDialect, count, lastAt });
  }
}
