import { operations } from '../../core/model/a2a.ts';
import { calledBindings } from '../../dialects/kernel/binding-names.ts';

/** Key by which calls are counted: caller, agent, generation and binding. */
export interface UseKey {
  /** Name of the caller's dialect. '' in the one entry of all calls for which there was no room. */
  readonly generation: string;
  /** Id of the principal. */
  readonly principal: string;
  readonly agent: string;
  readonly binding: string;
}

/** Numbers of calls. */
export interface UseCounts {
  readonly calls: number;
  /** Calls that a sunset refuses: messages and new webhooks. */
  readonly newWork: number;
  /** Calls that a sunset would have refused if its day had come. */
  readonly wouldBeRefused: number;
  /** Calls that a sunset has refused. */
  readonly refused: number;
}

/** One field that calls lost. */
export interface LostPath {
  /** Schema path in A2A 1.x. */
  readonly path: string;
  /** Dialect of the agent, where that cannot express the field; '': the caller's generation cannot. */
  readonly agentDialect: string;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

/** Calls with one key: all of them, or those since they were last stored. */
export interface Use extends UseKey, UseCounts {
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly lost: readonly LostPath[];
}

/** All calls of one generation. */
export interface GenerationTotal extends UseCounts {
  readonly generation: string;
  /** Number of its principals. */
  readonly callers: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

/** Selection of calls. '' selects all. */
export interface UseFilter extends Pick<UseKey, 'generation' | 'principal' | 'agent'> {}

/** The key of calls for which there was no room. */
export const overflow: UseKey = { generation: '', principal: '', agent: '', binding: '' };

/** One text for each key. */
export const idOf = ({ generation, principal, agent, binding }: UseKey): string =>
  JSON.stringify([generation, principal, agent, binding]);

/** Entries of calls, in memory and in the store, and lost paths of one entry. */
export const most = { uses: 10_000, paths: 64 } as const;

/** Entries that one transaction should write at most: others wait for it. */
export const batchSize = 100;

/** Bindings of A2A. Calls from within the process, and those of other protocols, are of no generation. */
export const wireBindings: ReadonlySet<string> = new Set([...calledBindings, 'grpc-web']);

/** Operations that end something which exists. */
const ending: readonly string[] = ['CancelTask', 'DeleteTaskPushNotificationConfig'];

/** Operations that a sunset refuses: messages and new webhooks. Tasks that exist can be read and canceled after it. */
export const newWork: ReadonlySet<string> = new Set(
  operations.flatMap((one) => ('reads' in one || ending.includes(one.name) ? [] : [one.name])),
);
