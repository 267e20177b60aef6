import { stateOf } from '../../core/model/lifecycle.ts';
import { answererOf, type Question, questionIn } from '../../core/model/question.ts';
import type { Store } from '../../core/ports/store.ts';
import type { SizedRecord, TaskStore } from '../../core/ports/task-store.ts';
import { sealedTokens } from '../../net/credentials/sealed-tokens.ts';
import type { AskedPosition } from '../question-listener.ts';

/** Events of one read. */
const page = 32;

/** The content of a link: the task's key, the position of the question, and when the link expires, in milliseconds. */
type Linked = readonly [key: string, seq: number, expires: number];

/** The question of a link that can be answered. */
export interface OpenLink {
  readonly state: 'open';
  readonly record: SizedRecord;
  readonly question: Question;
  /** The task's generation: an answer that names it is given once. */
  readonly generation: number;
}

/**
 * Target of a link. `gone`: none, whether the link was false or the task is deleted. `answered`: the question has its
 * answer. `moved`: the task is over, or asks another question. `late`: the link has expired.
 */
export type Link =
  | OpenLink
  | { readonly state: 'gone' | 'moved' | 'late' }
  | { readonly state: 'answered'; readonly by: string | undefined };

/** Returns the parts of a question that holders of a link may read. */
export const shownQuestion = ({ text, schema, by, for: delegate, until }: Question) => ({
  text,
  schema,
  by,
  for: delegate,
  until,
});

export const linkPath = '/questions';

/** Creates and reads links. Only the gateway can do either, at every replica: their secret is in the store. */
export async function createLinks(store: Pick<Store, 'secret' | 'now'> & Pick<TaskStore, 'events' | 'loadRecord'>) {
  const tokens = sealedTokens<Linked>(await store.secret('questions'), 'questions');

  /** @param longest milliseconds that a link may be used; it ends earlier with the time for answers */
  function seal({ key, seq, at, until }: AskedPosition, longest: number): string {
    const end = Date.parse(until ?? '');
    return tokens.seal([key, seq, Number.isNaN(end) ? at + longest : Math.min(at + longest, end)]);
  }

  async function open(token: string): Promise<Link> {
    const linked = tokens.open(token);
    const record = linked && (await store.loadRecord(linked[0]));
    if (!linked || !record) return { state: 'gone' };
    const [key, seq, expires] = linked;
    const isLate = expires <= store.now();
    let asked: Question | undefined;
    let generation = 0;
    for (let at = seq - 1; ; ) {
      const logged = await store.events(key, at, page);
      for (const one of logged) {
        generation = one.generation;
        if (one.seq === seq) asked = questionIn(one.event);
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
