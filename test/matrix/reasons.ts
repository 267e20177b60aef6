import type { DialectBinding } from '../support/conversations.ts';
import type { Difference } from './differences.ts';
import { fieldAt, knownOnly, lacks, limitsOf, ownerOf, snapshotOnly } from './limits.ts';

/** Why two observations may differ. */
export interface Reason {
  /** The owner of the limit. */
  readonly of: string;
  readonly limit: string;
  /** The effect of the limit, if it is not obvious. */
  readonly so?: string;
}

/** Effects of a limit on other fields than its own. */
interface Consequence {
  readonly limit: string;
  readonly so?: string;
  /** Fields by type, or places in an observation. */
  readonly seen: readonly string[];
  /** The only conversations that show it. */
  readonly within?: readonly string[];
}

/** In which an agent says something beside what it makes. */
const speaking = [
  'a question and its answer',
  'a question and its answer as streams',
  'failure',
  'failure as a stream',
  'rejection',
  'authorization wanted',
];

const consequences: readonly Consequence[] = [
  {
    limit: 'StreamResponse.message',
    so: 'a direct answer is a completed task',
    seen: ['client.message', 'client.task', 'client.names', 'stored', 'log'],
    within: ['a direct answer', 'a direct answer as a stream'],
  },
  {
    limit: 'TaskArtifactUpdateEvent.append',
    so: 'an artifact is sent when it begins, and again when it is whole',
    seen: ['log[]'],
    within: ['a stream in chunks', 'chunks, waited for'],
  },
  {
    limit: 'TaskStatus.message',
    so: 'what a status says is a message of its own, before it',
    seen: ['Task.history[]', 'client.others.question.message', 'log[]'],
    within: speaking,
  },
  { limit: 'Part.raw', so: 'bytes become a URL', seen: ['Part.url'] },
  {
    limit: 'Request.historyLength',
    so: 'more of the history comes than was asked for',
    seen: ['client.others.none', 'client.others.latest[]'],
    within: ['the latest of the history'],
  },
  { limit: 'Message.contextId', so: 'each task has a context of its own', seen: ['client.others.sameContext'] },
  {
    limit: 'Request.id',
    so: 'a push configuration has the id that the agent gives it',
    seen: ['TaskPushNotificationConfig.id'],
  },
  { limit: snapshotOnly, seen: ['TaskStatus.state'], within: ['joining a task under way'] },
  ...[knownOnly, lacks('GetExtendedAgentCard')].map((limit) => ({
    limit,
    seen: ['thrown', 'client'],
    within: ['the extended card'],
  })),
];

/** The limits that explain a difference: those that it is a consequence of, or else that of the field. */
export function reasonsFor({ path, conversation }: Difference, protocol: DialectBinding): Reason[] {
  const limits = limitsOf(protocol);
  const field = fieldAt(path);
  const of = ownerOf(protocol);
  const causes = consequences
    .filter(({ limit, seen }) => limits.has(limit) && (seen.includes(field) || seen.includes(path)))
    .filter(({ within }) => within === undefined || within.includes(conversation));
  const named = causes.length > 0 ? causes : [{ limit: field }].filter(({ limit }) => limits.has(limit));
  return named.map(({ limit }) => {
    const so = consequences.find((one) => one.limit === limit)?.so;
    return { of, limit, ...(so !== undefined && { so }) };
  });
}
