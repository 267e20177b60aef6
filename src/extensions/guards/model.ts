import type { Part } from '../../core/model/a2a.ts';
import { api } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { shortened } from '../../core/model/text.ts';
import type { TraceContext } from '../../core/telemetry/trace-context.ts';
import { parseAs } from '../../wire/validate.ts';

/** Whether parts belong to a caller's message, or to an agent's answer. */
export type GuardPhase = 'request' | 'answer';

/** Question for the judge of a guard. An id is empty if there is none. */
export interface GuardQuestion {
  /** Name of the guard. */
  readonly guard: string;
  readonly phase: GuardPhase;
  readonly agent: string;
  /** Id of the skill that the message calls. */
  readonly skill: string;
  /** Id of the caller. */
  readonly principal: string;
  readonly tenant: string;
  readonly taskId: string;
  readonly contextId: string;
  /** Id of the message that the parts belong to. */
  readonly messageId: string;
  /** Id of the artifact that the parts belong to. */
  readonly artifactId: string;
  /** Last characters of the artifact's text before a chunk, at most the guard's `window`. Absent: there is no text before. */
  readonly window?: string;
  /** Parts in A2A 1.0. */
  readonly parts: readonly Part[];
}

/** Answer of a judge. `ask` asks the guard's approvers about a message; for an answer, or without approvers, it blocks. */
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

/** Asks a judge. Resolves with its answer, not yet checked. Rejects if there is none within the guard's time. */
export type AskJudge = (question: GuardQuestion, trace: TraceContext, signal: AbortSignal) => Promise<unknown>;

/** Most characters of a reason. */
const maxReason = 300;
/** Most parts of a replacement. */
const maxParts = 1_000;

/** Checks the answer of a judge; further members are ignored. Throws an Error that names the fault. */
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

/** Metadata key under which the guards that have replaced parts are named. */
export const guardsKey = 'a2a-gateway/guards';

/** Replacement of parts by a guard, in the metadata of the message, artifact or task. */
export interface Mark {
  readonly guard: string;
  readonly action: 'replace';
  readonly reason?: string;
}

/** Joins the text of all parts. */
export const textOf = (parts: readonly Part[]): string => parts.map(({ text = '' }) => text).join('');
