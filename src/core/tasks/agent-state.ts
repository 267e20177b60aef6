import type { StateSpace } from '../model/agent.ts';
import type { A2AError } from '../model/errors.ts';
import type { TaskOwner } from '../model/ids.ts';
import { jsonFault } from '../model/json.ts';
import type { AgentStates, StateSpaceId } from '../ports/agent-state.ts';

/** Characters of a key. */
const maxKeyLength = 128;

/** Dependencies of a run's state. */
export interface StateDeps {
  readonly store: AgentStates;
  readonly owner: TaskOwner;
  /** Bytes that the keys and values of one space may have together. Read at each change. */
  readonly limits: { readonly state: number };
  /** Returns the reason why the run may no longer write; undefined while it may. */
  readonly ended: () => A2AError | undefined;
}

/** State that one run of an agent stores for its task, or for its context. */
export class RunStateSpace implements StateSpace {
  readonly #deps: StateDeps;
  readonly #id: StateSpaceId;
  /** The changes so far. They take effect in their order, even if the agent does not await them. */
  #changed: Promise<unknown> = Promise.resolve();

  constructor(deps: StateDeps, kind: StateSpaceId['kind'], id: string) {
    this.#deps = deps;
    this.#id = { owner: deps.owner, kind, id };
  }

  async get<T = unknown>(key: string): Promise<T | undefined> {
    this.#requireKey(key);
    await this.#changed;
    const json = await this.#deps.store.readState(this.#id, key);
    return json === undefined ? undefined : (JSON.parse(json) as T);
  }

  async set(key: string, value: unknown): Promise<void> {
    this.#requireKey(key);
    if (value === undefined) {
      throw new TypeError(`${this.#name}.set(${JSON.stringify(key)}) got no value; delete(key) removes one`);
    }
    const fault = jsonFault(value);
    if (fault !== undefined) {
      throw new TypeError(`${this.#name} keeps JSON, and the value of ${JSON.stringify(key)} is none: ${fault}`);
    }
    await this.#change(key, JSON.stringify(value));
  }

  async delete(key: string): Promise<void> {
    this.#requireKey(key);
    await this.#change(key, undefined);
  }

  get #name(): string {
    return `state.${this.#id.kind}`;
  }

  #requireKey(key: string): void {
    if (typeof key === 'string' && key.length > 0 && key.length <= maxKeyLength && key.isWellFormed()) return;
    const given = typeof key === 'string' ? `a text of ${key.length}` : typeof key;
    throw new TypeError(`A key of ${this.#name} is a text of 1 to ${maxKeyLength} characters, not ${given}`);
  }

  /** Only awaits the change, so that the stack of an error leads to the agent's code. */
  async #change(key: string, json: string | undefined): Promise<void> {
    const before = this.#changed;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#changed = promise;
    try {
      await before;
      await this.#write(key, json);
    } finally {
      resolve();
    }
  }

  async #write(key: string, json: string | undefined): Promise<void> {
    const { store, limits, ended } = this.#deps;
    const reason = ended();
    if (reason) throw new Error(`${this.#name} cannot be changed any more: ${reason.message}`, { cause: reason });
    const { state: limit } = limits;
    const outcome = await store.writeState(this.#id, key, json, limit);
    if (outcome === 'done') return;
    if (outcome === 'lost') throw new Error(`${this.#name} was not changed: another replica works on the task`);
    throw new RangeError(
      `${this.#name} was not changed: with ${JSON.stringify(key)} it would have ${outcome.size} bytes, and limits.state ` +
        `is ${limit}; delete values, keep large ones elsewhere, or raise the limit`,
    );
  }
}
