import { heldCallOf, openAskOf } from '../../src/core/model/ask.ts';
import { answererOf } from '../../src/core/model/question.ts';
import { agreement, askedAgents, people } from './askers.ts';
import type { Executed } from './check-executions.ts';
import type { Violation } from './check-logs.ts';
import type { Decided, Ledger } from './ledger.ts';
import { type Logs, markerOf, type StoredLog } from './logs.ts';

/** What a log says of a call that waited. */
interface HeldInLog {
  readonly marker: string;
  readonly seq: number;
  /** People who agreed, and released it. */
  readonly agreed: readonly string[];
  /** Number of messages that released it. */
  readonly releases: number;
}

/** One kind of fault of a task; undefined: it has none. */
type Check = (
  task: StoredLog,
  held: readonly HeldInLog[],
  executed: Executed,
  decided: readonly Decided[],
) => string | undefined;

/**
 * An agent gets a call that waits when enough people have agreed, and once; each decision that was acknowledged is in the log; no
 * call waits for ever.
 */
const checks: readonly Check[] = [
  executedUnreleased,
  releasedUnagreed,
  forgotten,
  lostDecision,
  deniedAndExecuted,
  endless,
];

export function checkAsked(executed: Executed, { decided }: Ledger, logs: Logs): Violation[] {
  const asked: ReadonlySet<string> = new Set(askedAgents);
  return logs.tasks
    .filter(({ agent }) => asked.has(agent))
    .flatMap((task) => {
      const held = heldIn(task);
      const own = decided.filter(({ taskId }) => taskId === task.id);
      return checks.flatMap((check) => {
        const what = check(task, held, executed, own);
        return what === undefined ? [] : [{ what, task }];
      });
    });
}

/** The calls of a task that waited, each with who agreed. */
function heldIn({ log }: StoredLog): HeldInLog[] {
  const held: HeldInLog[] = log.flatMap(({ seq, event }) => {
    const messages = event.message ? [event.message] : seq === 1 ? (event.task?.history ?? []) : [];
    return messages.flatMap((message) => {
      const marker = heldCallOf(message) && markerOf(message);
      if (marker === undefined) return [];
      const releasing = log.flatMap((entry) => {
        const facts = entry.event.message && answererOf(entry.event.message);
        return facts?.releases === seq ? [facts.by] : [];
      });
      const given = log.flatMap((entry) => {
        const { status } = entry.event.statusUpdate ?? entry.event.task ?? {};
        const open = status && openAskOf({ status });
        return open?.seq === seq ? open.asks.flatMap((ask) => ask.given.map(({ by }) => by)) : [];
      });
      return [{ marker, seq, agreed: [...given, ...releasing].map(personOf), releases: releasing.length }];
    });
  });
  return held;
}

/** The name of a person by the id of the principal. */
const personOf = (principal: string): string => people.find((name) => principal.includes(name)) ?? principal;

function executedUnreleased(_: StoredLog, held: readonly HeldInLog[], { executions }: Executed): string | undefined {
  const early = held.find(
    ({ marker, releases }) => releases === 0 && executions.some((execution) => execution.marker === marker),
  );
  return early && `${early.marker} was executed, and nobody has released it`;
}

function releasedUnagreed(
  _: StoredLog,
  held: readonly HeldInLog[],
  _executed: Executed,
  decided: readonly Decided[],
): string | undefined {
  for (const { marker, agreed, releases } of held) {
    if (releases > 1) return `${marker} was released ${releases} times`;
    const persons = new Set(agreed);
    if (releases === 1 && persons.size < agreement.quorum)
      return `${marker} was released by ${[...persons].join(', ')} alone`;
    for (const person of persons) {
      const hasAgreed = decided.some(({ by, decision }) => by === person && decision === 'approve');
      if (!hasAgreed) return `${marker} has the agreement of ${person}, who gave none`;
    }
  }
  return undefined;
}

/** A released call reaches its agent, unless its task was canceled, or its gateway died. */
function forgotten({ state }: StoredLog, held: readonly HeldInLog[], { executions }: Executed): string | undefined {
  if (state !== 'TASK_STATE_COMPLETED') return undefined;
  const lost = held.find(
    ({ marker, releases }) => releases === 1 && !executions.some((execution) => execution.marker === marker),
  );
  return lost && `${lost.marker} was released, and its task is completed without it`;
}

function lostDecision(
  { state }: StoredLog,
  held: readonly HeldInLog[],
  _: Executed,
  decided: readonly Decided[],
): string | undefined {
  for (const { by, decision, outcome } of decided) {
    if (outcome !== 'done') continue;
    if (!(people as readonly string[]).includes(by)) return `${by} could decide, and is not one of those who may`;
    if (decision === 'deny' && state !== 'TASK_STATE_REJECTED') return `${by} has denied it, and it is ${state}`;
    if (decision === 'approve' && !held.some(({ agreed }) => agreed.includes(by)))
      return `the agreement of ${by} is lost`;
  }
  return undefined;
}

function deniedAndExecuted(
  { state }: StoredLog,
  held: readonly HeldInLog[],
  { executions }: Executed,
): string | undefined {
  if (state !== 'TASK_STATE_REJECTED') return undefined;
  const done = held.find(({ marker }) => executions.some((execution) => execution.marker === marker));
  return done && `${done.marker} was denied, and executed`;
}

function endless({ state }: StoredLog): string | undefined {
  return state === 'TASK_STATE_AUTH_REQUIRED' ? 'it waits for people whose time is up' : undefined;
}
