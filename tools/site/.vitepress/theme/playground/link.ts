/** The state of the playground in the hash of its address, which browsers do not send to servers. */

export interface LinkedState {
  /** The frame; absent where `example` has it. */
  readonly text?: string;
  /** Id of an example. */
  readonly example?: string;
  readonly from?: string;
  readonly type?: string;
  readonly method?: string;
  readonly binding?: string;
}

/** Characters of an address that every browser and most other software accept. */
const maxLength = 8_000;

const names = ['example', 'text', 'from', 'type', 'method', 'binding'] as const;

/** The hash, with its number sign; '' where the state does not fit into an address. */
export function hashOf(state: LinkedState): string {
  const parameters = new URLSearchParams();
  for (const name of names) {
    const value = state[name];
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  const hash = `#${parameters}`;
  return hash.length > maxLength || hash === '#' ? '' : hash;
}

/** The state in a hash; undefined where it has none. */
export function stateOf(hash: string): LinkedState | undefined {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const given = names.flatMap((name) => {
    const value = parameters.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  const state: LinkedState = Object.fromEntries(given);
  return state.text === undefined && state.example === undefined ? undefined : state;
}
