import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { KGStatement } from '../../gen/knowledge-v1/types.ts';
import { typesStated } from './alignment/outcome.ts';
import { hides } from './alignment/visibility.ts';
import type { ChangeMeta, KnowledgeChange } from './model/graph.ts';
import type { KnowledgeChangeEvent, KnowledgeChangeStream, KnowledgeSpace } from './model/knowledge.ts';
import type { QueryContext } from './ports.ts';
import type { KnowledgeLog } from './store/port.ts';

/** Filter for the changes of a subscription. All given fields must match. */
export interface ChangePattern {
  readonly subject?: string;
  readonly predicate?: string;
  /** Id of a resource. */
  readonly object?: string;
  readonly type?: string;
  /** A named graph; '' is the default graph. Absent: any graph. */
  readonly graph?: string;
}

const statementsOf = ({ statement, replaced = [] }: KnowledgeChange) => [statement, ...replaced];

/** Whether a statement of a change matches a pattern, ignoring the pattern's `type`. */
const concerns = ({ subject: s, predicate: p, object: o, graph: g }: ChangePattern, change: KnowledgeChange): boolean =>
  statementsOf(change).some(
    ({ subject, predicate, object, graph = '' }) =>
      (s ?? subject.id) === subject.id &&
      (p ?? predicate.id) === predicate.id &&
      (o ?? object.id) === object.id &&
      (g ?? graph) === graph,
  );

/** Number of changes that are read at a time. */
const batch = 256;

/**
 * Returns the changes that match a pattern. Once the promise resolves, every later change will be delivered. The
 * iteration throws the signal's reason as an A2AError.
 *
 * The type of a subject is its type at the time when the change is read, or one that a change in the same batch adds or
 * removes: the log does not record the state of the graph.
 *
 * @throws A2AError `knowledgeSubscription` if the changes after the position have expired. The iteration throws it too,
 * if its reader is so slow that changes expire
 */
export async function followChanges(
  context: QueryContext,
  pattern: ChangePattern,
  after: number | undefined,
): Promise<KnowledgeChangeStream> {
  const { store, space, signal } = context;
  if (signal.aborted) throw A2AError.from(signal.reason);
  const { first, last } = await store.extent(space);
  const start = after ?? last;
  if (start + 1 < first) throw expired(start, first);
  if (start > last) {
    throw new A2AError('knowledgeSubscription', `There is no change ${start} to resume after: the last one is ${last}`);
  }
  const changes = matching(context, follow(store, space, start, signal), pattern);
  return { after: start, [Symbol.asyncIterator]: () => changes };
}

const expired = (after: number, first: number): A2AError =>
  new A2AError(
    'knowledgeSubscription',
    `Changes after ${after} have expired; the oldest retained change is ${first}. Query again, then subscribe from the new position`,
  );

async function* matching(
  context: QueryContext,
  log: AsyncIterable<readonly KnowledgeChange[]>,
  pattern: ChangePattern,
): AsyncGenerator<KnowledgeChangeEvent, undefined> {
  const { store, space, hidden } = context;
  const { type } = pattern;
  for await (const changes of log) {
    const visible = changes.filter(({ statement }) => !hides(hidden, statement));
    const matches = visible.filter((change) => concerns(pattern, change));
    const instances = type !== undefined && matches.length > 0 && (await instancesOf(type, matches, visible));
    for (const change of matches) {
      if (!instances || instances.has(change.statement.subject.id)) yield eventOf(change, context);
    }
  }

  async function instancesOf(type: string, matches: readonly KnowledgeChange[], visible: readonly KnowledgeChange[]) {
    // Entities that the changes declare, or no longer declare, to be of the type.
    const typings = visible.flatMap(statementsOf).flatMap(typesStated);
    const found = new Set(typings.flatMap(([id, stated]) => (stated === type ? id : [])));
    const unsure = new Set(matches.map(({ statement }) => statement.subject.id)).difference(found);
    if (unsure.size === 0) return found;
    for (const [id, types] of await store.typesOf(space, [...unsure], hidden && { hidden })) {
      if (types.includes(type)) found.add(id);
    }
    return found;
  }
}

/**
 * Converts a change to an event of the extension (section 4.3). The event includes the position, since not every
 * binding has event ids.
 */
function eventOf(
  { op, statement, changeId, at, meta, position }: KnowledgeChange,
  context: QueryContext,
): KnowledgeChangeEvent {
  const event = {
    op,
    statement: statement as KGStatement,
    changeId,
    timestamp: new Date(at).toISOString(),
    changeMetadata: { ...visibleMeta(meta, context), position },
  };
  return { seq: position, at, generation: 0, event, json: JSON.stringify(event) };
}

/**
 * Returns the metadata of a change that a caller may see. Only the author sees the author's id, which may identify a
 * person. Only callers from whom nothing is hidden see verification details, which were written for the author.
 */
function visibleMeta({ principal, verification, ...meta }: ChangeMeta, context: QueryContext): ChangeMeta {
  const visible = context.hidden && isObject(verification) ? { status: verification.status } : verification;
  return {
    ...meta,
    ...(principal !== undefined && principal === context.principal && { principal }),
    ...(visible !== undefined && { verification: visible }),
  };
}

/** Yields all changes after a position, in batches. */
async function* follow(
  log: KnowledgeLog,
  space: KnowledgeSpace,
  start: number,
  signal: AbortSignal,
): AsyncGenerator<readonly KnowledgeChange[], undefined> {
  let after = start;
  let news = Promise.withResolvers<void>();
  const wake = () => news.resolve();
  const unwatch = log.watch(space, wake);
  signal.addEventListener('abort', wake);
  try {
    while (!signal.aborted) {
      // Created before the log is read, so that a concurrent change wakes the loop.
      news = Promise.withResolvers();
      const changes = await log.changes(space, after, batch);
      const first = changes[0];
      const last = changes.at(-1);
      if (first && last) {
        if (first.position !== after + 1) throw expired(after, first.position);
        after = last.position;
        yield changes.filter(({ isUnread }) => !isUnread);
      } else if (!signal.aborted) {
        await news.promise;
      }
    }
  } finally {
    signal.removeEventListener('abort', wake);
    unwatch();
  }
  throw A2AError.from(signal.reason);
}
