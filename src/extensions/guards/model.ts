import type { Part } from '../../core/model/a2a.ts';
import { api } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { shortened } from '../../core/model/text.ts';
import type { TraceContext } from '../../core/telemetry/trace-context.ts';
import { parseAs } from '../../wire/validate.ts';

/** Whether parts are of a caller's message, or of an agent's answer. */
export type GuardPhase = 'request' | 'answer';

/** A question for the judge of a guard. Ids are empty where there is none. */
export interface GuardQuestion {
  /** Name of the guard. */
  readonly guard: string;
  readonly phase: GuardPhase;
  readonly agent: string;
  /** The skill that the message calls. */
  readonly skill: string;
  /** Id of the caller. */
  readonly principal: string;
  readonly tenant: string;
  readonly taskId: string;
  readonly contextId: string;
  /** Of the message that the parts belong to. */
  readonly messageId: string;
  /** Of the artifact that the parts belong to. */
  readonly artifactId: string;
  /** The end of the artifact's text before a chunk, as long as the guard's `window`. Absent: there is none. */
  readonly window?: string;
  /** In A2A v1. */
  readonly parts: readonly Part[];
}

/** The answer of a judge. `ask` puts a message before the guard's approvers; of answers, and without approvers, it blocks. */
export type GuardVerdict =
  | { readonly action: 'allow'; readonly reason?: string | undefined }
  | { readonly action: 'block' | 'ask'; readonly reason?: string | undefined }
  | { readonly action: 'replace'; readonly reason?: string | undefined; readonly parts: Part[] };

/**
 * A judge in a module or a program.
 *
 * ```ts
 * import type { GuardJudge } from 'a2a-gateway';
 *
 * const noSecrets: GuardJudge = ({ parts, window = '' }) => {
 *   const text = window + parts.map(({ text = '' }) => text).join('');
 *   return text.includes('BEGIN PRIVATE KEY') ? { action: 'block', reason: 'a private key' } : { action: 'allow' };
 * };
 * export default noSecrets;
 * ```
 */
export type GuardJudge = (
  question: GuardQuestion,
  context: { readonly signal: AbortSignal },
) => GuardVerdict | Promise<GuardVerdict>;

/** Asks a judge. Resolves with its answer, which was not read. Rejects where there is none within the guard's time. */
export type AskJudge = (question: GuardQuestion, trace: TraceContext, signal: AbortSignal) => Promise<unknown>;

/** Characters of a reason. */
const maxReason = 300;
/** Parts of a replacement. */
const maxParts = 1_000;

/** Reads the answer of a judge; further members are ignored. Throws an Error that says what is wrong with it. */
export function readVerdict(answer: unknown): GuardVerdict {
  if (!isObject(answer)) throw new Error('its answer is not an object');
  const { action, reason, parts } = answer;
  if (reason !== undefined && typeof reason !== 'string') throw new Error('the reason in its answer is not a text');
  const shown = reason?.trim() ? shortened(reason, maxReason) : undefined;
  if (action === 'allow') return { action };
  if (action === 'block' || action === 'ask') return { action, reason: shown };
  if (action !== 'replace') throw new Error('its answer has no action: allow, block, replace or ask');
  if (!Array.isArray(parts) || parts.length === 0) throw new Error('its answer replaces parts and has none');
  if (parts.length > maxParts) throw new Error(`its answer has more than ${maxParts} parts`);
  return { action, reason: shown, parts: parts.map((part) => readPart(part)) };
}

function readPart(part: unknown): Part {
  try {
    return parseAs<Part>(api, 'lf.a2a.v1.Part', structuredClone(part));
  } catch (cause) {
    throw new Error('its answer has parts that are no parts of A2A v1', { cause });
  }
}

/** The key of metadata that names the guards which have replaced parts. */
export const guardsKey = 'a2a-gateway/guards';

/** A replacement of parts, as the metadata of the message, artifact or task say it. */
export interface Mark {
  readonly guard: string;
  readonly action: 'replace';
  readonly reason?: string;
}

/** All text of parts. */
export const textOf = (parts: readonly Part[]): string => parts.map(({ text = '' }) => text).join('');
