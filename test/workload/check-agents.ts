import type { Task } from '../../src/core/model/a2a.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import type { AgentRecords, Given } from './agents/wire-agent.ts';
import type { Violation } from './check-logs.ts';
import type { Ledger } from './ledger.ts';
import { type Logs, markersOf, type StoredLog, stopped, taskAt } from './logs.ts';

/** The agents of every dialect, and what they have written down. */
export interface Agents {
  readonly records: AgentRecords;
  readonly names: readonly string[];
  /** Agents that something kept from answering: one that does not answer a cancellation counts as having agreed. */
  readonly silenced: ReadonlySet<string>;
}

const textOf = ({ artifacts = [] }: Task): string =>
  artifacts.flatMap(({ parts }) => parts.map(({ text }) => text ?? '')).join('');

/**
 * Why a gateway gives a task up although it cannot know what its agent does: the answer to a message was lost before the agent
 * had named the task, the agent was away or silent for too long, or has forgotten the task.
 */
const givenUp =
  /cannot be reached|no sign of life|no longer knows this task|did not answer|gateway stopped|connection|ended before the task|without a task|may have acted/i;

/**
 * Agents of any dialect get each message at most once, since they honour no keys. Every message that one was given is in a log.
 * If the agent's answer has ended a task at the gateways, the task's end and results are the agent's.
 */
export function checkAgents({ records, names, silenced }: Agents, ledger: Ledger, logs: Logs): Violation[] {
  const found: Violation[] = [];
  const byMarker = Map.groupBy(records.given, ({ marker }) => marker);
  const places = new Map(logs.tasks.flatMap((task) => markersOf(task).map(([marker]) => [marker, task] as const)));
  const said = new Map(ledger.said.map((one) => [one.marker, one]));
  for (const [marker, given] of byMarker) {
    const [{ agent, text, task }] = given as [Given];
    const place = places.get(marker);
    const what = `${marker} (${text})`;
    if (given.length > 1) found.push({ what: `${agent} was given ${what} ${given.length} times`, task: place });
    if (!said.has(marker)) found.push({ what: `${agent} was given ${what}, which nobody has sent` });
    else if (task && !place) found.push({ what: `${agent} was given ${what}, which is in no log` });
  }
  for (const task of logs.tasks.filter(({ agent }) => names.includes(agent))) {
    const what = differs(task, records, byMarker, silenced);
    if (what !== undefined) found.push({ what, task });
  }
  return found;
}

function differs(
  stored: StoredLog,
  records: AgentRecords,
  byMarker: Map<string, Given[]>,
  silenced: ReadonlySet<string>,
): string | undefined {
  const ours = taskAt(stored.log, stored.seq);
  const [first] = markersOf(stored);
  const given = byMarker.get(first?.[0] ?? '')?.[0];
  const there = given?.task;
  // In dialects without messages, a message of the agent's is a task.
  const isMessage = given !== undefined && !there;
  if (!ours || isMessage || !isTerminal(ours.status.state)) return undefined;
  const { state, message } = ours.status;
  const words = message?.parts[0]?.text ?? '';
  if (!there) return state === 'TASK_STATE_FAILED' ? undefined : `it is ${state}, and its agent has never heard of it`;
  if (state === there.status.state)
    return textOf(ours) === textOf(there)
      ? undefined
      : `its results are ${textOf(ours)}, and its agent's ${textOf(there)}`;
  const isForgotten = records.forgotten.has(there);
  if (state === 'TASK_STATE_FAILED' && (isForgotten || stopped(stored) || givenUp.test(words))) return undefined;
  if (state === 'TASK_STATE_CANCELED' && (isForgotten || silenced.has(stored.agent))) return undefined;
  return `it is ${state} (${words}), and its agent says ${there.status.state}`;
}
