import type { Call, Invoke, Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { SunsetConfig } from '../../gen/settings.ts';
import type { ModuleInterceptor } from '../part.ts';
import { newWork, type UseKey, wireBindings } from './model.ts';

/** The announced end of a generation. Times are milliseconds since the epoch. */
export interface Ending {
  readonly generation: string;
  readonly since: number;
  readonly on: number;
  readonly mode: SunsetConfig['mode'];
  readonly link: string | undefined;
  /** Headers of answers: names, each followed by a value. */
  readonly headers: readonly string[];
}

const day = 86_400_000;

/** @param now when the configuration becomes active */
export function endingOf(generation: string, given: SunsetConfig, now: number): Ending {
  const on = Date.parse(given.on);
  const today = now - (now % day);
  const since = given.since === undefined ? Math.min(today, on) : Date.parse(given.since);
  const link = given.link === undefined ? undefined : new URL(given.link).href;
  const headers = ['deprecation', `@${Math.floor(since / 1000)}`, 'sunset', new Date(on).toUTCString()];
  if (link !== undefined) headers.push('link', `<${link}>; rel="deprecation", <${link}>; rel="sunset"`);
  return { generation, since, on, mode: given.mode, link, headers };
}

/** Whether calls of a generation are refused. */
export const refuses = ({ mode, on }: Ending, now: number): boolean => mode === 'refuse' && now >= on;

/** The error for a refused caller. */
export function refusalOf({ generation, on, link }: Ending): A2AError {
  const sunset = new Date(on).toISOString();
  const where = link === undefined ? '' : ` See ${link}`;
  const message = `Since ${sunset} this gateway takes no new work in ${generation}: use a later version of A2A. Existing tasks can be read and canceled.${where}`;
  return new A2AError('versionNotSupported', message, {
    metadata: { generation, sunset, ...(link !== undefined && { link }) },
  });
}

export interface SunsetDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Counts a call that is refused, or would be. */
  readonly note: (key: UseKey, outcome: 'refused' | 'wouldBeRefused') => void;
}

/** The ends of generations in one configuration: a step of the pipeline that says so in answers, and refuses calls. */
export class Sunsets {
  /** By generation. */
  readonly endings: ReadonlyMap<string, Ending>;
  readonly interceptors: readonly ModuleInterceptor[];
  readonly #deps: SunsetDeps;

  constructor(config: Readonly<Record<string, SunsetConfig>>, deps: SunsetDeps) {
    this.#deps = deps;
    const now = deps.now();
    this.endings = new Map(Object.entries(config).map(([name, given]) => [name, endingOf(name, given, now)]));
    this.interceptors = [
      {
        name: 'sunset',
        // For authorized callers: a rehearsal counts the calls that a refusal would meet at the same place.
        at: 'authorized',
        applies: (operation, isOfGateway) => operation !== undefined && !isOfGateway,
        intercept: (next) => (call) => this.#invoke(call, next),
      },
    ];
  }

  #invoke(call: Call, next: Invoke): Promise<Reply> {
    const { context, operation } = call;
    const { dialect, agent, principal, notes, binding = 'local' } = context;
    const ending = this.endings.get(dialect);
    if (!ending || !wireBindings.has(binding)) return next(call);
    notes.headers = [...(notes.headers ?? []), ...ending.headers];
    if (ending.mode === 'warn' || !newWork.has(operation)) return next(call);
    const isRefused = refuses(ending, this.#deps.now());
    const key = { generation: dialect, principal: principal.id, agent, binding };
    this.#deps.note(key, isRefused ? 'refused' : 'wouldBeRefused');
    return isRefused ? Promise.reject(refusalOf(ending)) : next(call);
  }
}
