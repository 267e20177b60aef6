import { connect, type Message, type Task } from '../../src/client/index.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import type { Violation } from './check-logs.ts';
import { type Logs, markerOf, markersOf, stopped, taskAt } from './logs.ts';

/** The gateways' text about a message whose connection failed. */
const unreached = /cannot be reached|did not accept a connection/;

/** The agent `far` behind the gateways. */
export interface Upstream {
  readonly url: string;
  /** Whether it was ever away. */
  readonly wasAway: boolean;
}

const textIn = (message: Message | undefined): string => message?.parts[0]?.text ?? '';

const textOf = ({ artifacts = [] }: Task): string =>
  artifacts.flatMap(({ parts }) => parts.map(({ text }) => text ?? '')).join('|');

/**
 * Tasks of the agent that survived end as it says; it was given no message twice, and none that is in no log. Whichever
 * gateways died, no task is given up while the agent can be reached, since it honours keys.
 */
export async function checkUpstream({ url, wasAway }: Upstream, logs: Logs): Promise<Violation[]> {
  const logged = new Set(logs.tasks.flatMap((task) => markersOf(task).map(([marker]) => marker)));
  const theirs = await tasksOf(url);
  const violations: Violation[] = [];
  const byMarker = new Map<string, Task>();
  for (const task of theirs) {
    for (const message of task.history ?? []) {
      const marker = markerOf(message);
      if (marker === undefined) continue;
      if (byMarker.has(marker)) violations.push({ what: `the upstream agent was given ${marker} twice` });
      byMarker.set(marker, task);
      if (!logged.has(marker)) violations.push({ what: `the upstream agent was given ${marker}, which is in no log` });
    }
  }
  for (const task of logs.tasks) {
    if (task.agent !== 'far') continue;
    const ours = taskAt(task.log, task.seq);
    const marker = (ours?.history ?? []).map(markerOf).find((one) => one !== undefined);
    const there = byMarker.get(marker ?? '');
    if (!ours) continue;
    if (stopped(task) || (ours.status.state === 'TASK_STATE_FAILED' && unreached.test(textIn(ours.status.message)))) {
      // In this case it is unknown whether the agent received the message.
      if (!wasAway) violations.push({ what: 'it was given up, though its agent could be asked', task });
    } else if (!there) violations.push({ what: 'the upstream agent has never heard of it', task });
    else if (there.status.state !== ours.status.state && isTerminal(there.status.state)) {
      violations.push({ what: `the upstream agent says ${there.status.state}`, task });
    } else if (textOf(there) !== textOf(ours)) {
      violations.push({ what: `the upstream agent made something else: ${textOf(there)}`, task });
    }
  }
  return violations;
}

async function tasksOf(url: string): Promise<Task[]> {
  const client = await connect(url, { as: 'a2a-1.0', via: 'jsonrpc' });
  const tasks: Task[] = [];
  try {
    let pageToken = '';
    do {
      const page = await client.listTasks({ pageSize: 100, pageToken, includeArtifacts: true, historyLength: 100 });
      tasks.push(...page.tasks);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
  } finally {
    await client.close();
  }
  return tasks;
}
