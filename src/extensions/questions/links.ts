import { stateOf } from '../../core/model/lifecycle.ts';
import { answererOf, type Question, questionIn, timeOf } from '../../core/model/question.ts';
import type { Store } from '../../core/ports/store.ts';
import type { SizedRecord, TaskStore } from '../../core/ports/task-store.ts';
import { askIn, type OpenQuestion, readAnswerer, readQuestion } from '../../core/tasks/open-question.ts';
import { sealedTokens } from '../../net/credentials/sealed-tokens.ts';
import { heldTextOf } from '../asks/decide.ts';
import type { AskedPosition } from '../question-listener.ts';

/** Number of events in one reading. */
const page = 32;

/**
 * The content of a link: the task's key, the position of the question, when the link expires, in milliseconds, and the person who
 * decides by it. Then the position is that of the call that waits.
 */
type Linked = readonly [key: string, seq: number, expires: number, by?: string];

/** Call about which a person decides. */
export interface ShownCall {
  readonly owner: string;
  readonly message: string;
  /** Id of the principal of the person who decides. */
  readonly by: string;
}

/** Question behind a link that can be answered. */
export interface OpenLink {
  readonly state: 'open';
  readonly record: SizedRecord;
  readonly question: Question & Pick<OpenQuestion, 'ask'>;
  /** The call about which the holder of the link decides. */
  readonly call?: ShownCall;
  /** Generation of the task. Only one answer that names it is accepted. */
  readonly generation: number;
}

/**
 * Target of a link. `gone`: the link is false, or its task is deleted. `answered`: the question was answered. `moved`: the task
 * is over, or asks another question. `late`: the link has expired.
 */
export type Link =
  | OpenLink
  | { readonly state: 'gone' | 'moved' | 'late' }
  | { readonly state: 'answered'; readonly by: string | undefined };

/** Returns the members of a question that the holder of a link may read. */
export const shownQuestion = ({ text, schema, by, for: delegate, until, ask }: OpenLink['question']) => ({
  text,
  schema,
  by,
  for: delegate,
  until,
  asks: ask?.asks.map(({ by, reason, of, delegate, quorum, given }) => ({ by, reason, of, delegate, quorum, given })),
});

export const linkPath = '/questions';

/** Creates and reads links. They are encrypted with a secret of the store, which all replicas share. */
export async function createLinks(
  store: Pick<Store, 'secret' | 'now'> & Pick<TaskStore, 'events' | 'loadRecord' | 'latestTurn'>,
) {
  const tokens = sealedTokens<Linked>(await store.secret('questions'), 'questions');

  /** @param longest most milliseconds for which a link is valid; it expires earlier if the question does */
  function seal({ key, seq, at, until, by }: AskedPosition, longest: number): string {
    const expires = Math.min(at + longest, timeOf(until));
    return tokens.seal(by === undefined ? [key, seq, expires] : [key, seq, expires, by]);
  }

  /** Reads the link with which one person decides about a call. */
  async function openDecision(record: SizedRecord, seq: number, by: string, isLate: boolean): Promise<Link> {
    const question = await readQuestion(store, record);
    if (question?.ask?.seq === seq) {
      if (isLate) return { state: 'late' };
      const message = await heldTextOf(store, record.key, question.ask);
      const call = { by, owner: record.principal, message };
      return { state: 'open', record, question, generation: question.generation, call };
    }
    const answerer = await readAnswerer(store, record);
    return answerer ? { state: 'answered', by: answerer.by } : { state: isLate ? 'late' : 'moved' };
  }

  async function open(token: string): Promise<Link> {
    const linked = tokens.open(token);
    const record = linked && (await store.loadRecord(linked[0]));
    if (!linked || !record) return { state: 'gone' };
    const [key, seq, expires, by] = linked;
    const isLate = expires <= store.now();
    if (by !== undefined) return openDecision(record, seq, by, isLate);
    let asked: Question | undefined;
    let generation = 0;
    for (let at = seq - 1; ; ) {
      const logged = await store.events(key, at, page);
      for (const one of logged) {
        generation = one.generation;
        if (one.seq === seq) asked = askIn(one.event) ? undefined : questionIn(one.event);
        else if (one.event.message) return { state: 'answered', by: answererOf(one.event.message)?.by };
        else if (stateOf(one.event) !== undefined) return { state: isLate ? 'late' : 'moved' };
      }
      at = logged.at(-1)?.seq ?? at;
      if (logged.length < page && !logged.isCut) break;
    }
    if (!asked) return { state: 'gone' };
    return isLate ? { state: 'late' } : { state: 'open', record, question: asked, generation };
  }

  return { seal, open };
}

export type Links = Awaited<ReturnType<typeof createLinks>>;
