import type { CountLimits } from '../core/limits/counts.ts';
import type { Reservation } from '../core/limits/memory-budget.ts';
import { A2AError, type FieldViolation } from '../core/model/errors.ts';
import type { JsonObject } from '../core/model/json.ts';

/** Limits and the memory reservation for the document of a request. */
export interface RequestReading {
  /** Limits on counts. Default: the defaults of `limits`. */
  readonly counts?: CountLimits | undefined;
  /** Whether to find the scalar members of a refused JSON document, so that a JSON-RPC request can be answered. */
  readonly enveloped?: boolean;
  /** Reserves memory for the parsed document. */
  readonly reservation?: Reservation | undefined;
}

/** Limits and the memory reservation for the messages of a call. */
export interface MessageReading extends RequestReading {
  /** Maximum size of each message in bytes, uncompressed. */
  readonly limit: number;
}

/**
 * Reserves memory for a body or message of `size` bytes before it is read.
 *
 * @throws A2AError `unavailable` if there is not enough memory, or `canceled`
 */
export const countBody = ({ reservation }: RequestReading, size: number): void => reservation?.reserveRequest(size);

/**
 * Reserves memory for the parsed form of a body of `size` bytes before it is parsed.
 *
 * @throws A2AError `unavailable` if there is not enough memory
 */
export const countParsed = ({ reservation }: RequestReading, size: number, parsed: () => number): void =>
  reservation?.reserveParsed(size, parsed);

/** A limit that a document exceeds, and its path. */
export interface Excess {
  readonly what: 'parts' | 'keys' | 'values';
  /** Path of the list or object within the document; '' for the document itself. */
  readonly path: string;
  readonly limit: number;
}

/** Error of a request that is refused before it is parsed, because it exceeds a limit. */
export class ExcessiveRequestError extends A2AError {
  /** Scalar members of the outermost object, from which a JSON-RPC request is answered. */
  readonly envelope: JsonObject | undefined;

  constructor(excess: Excess, envelope?: JsonObject) {
    const { what, limit } = excess;
    const violations = violationsOf(excess);
    const [{ field, description } = {}] = violations;
    if (what === 'values') {
      super('payloadTooLarge', `The request has more than ${limit} values (limits.values)`, metadataOf(excess));
    } else super('invalidParams', `Invalid parameters: ${field} ${description}`, { violations, ...metadataOf(excess) });
    this.envelope = envelope;
  }
}

/** Returns the error for an agent's response that exceeds a limit. The whole response is refused. */
export const excessiveAnswer = ({ what, path, limit }: Excess): A2AError =>
  new A2AError(
    'invalidAgentResponse',
    `The agent's answer is refused: ${path === '' ? 'it' : path} has more than ${limit} ${what}`,
  );

const metadataOf = ({ what, limit }: Excess) => ({ metadata: { limit: `limits.${what}`, [what]: `${limit}` } });

function violationsOf({ what, path, limit }: Excess): FieldViolation[] {
  // Fields of JSON-RPC parameters are named without the envelope.
  const field = path.replace(/^params\.(?=.)/, '') || 'the request';
  return [{ field, description: `has more than ${limit} ${what} (limits.${what})` }];
}

/** Maximum characters of one step of a path, and maximum steps: callers choose the names. */
const shown = { name: 64, steps: 70 } as const;

/** Formats a path with bounded length, such as `message.parts[0].data`. */
export function boundedPath(steps: readonly (string | number)[]): string {
  let path = '';
  for (const step of steps.slice(0, shown.steps)) {
    if (typeof step === 'number') path += `[${step}]`;
    else {
      const name = step.length > shown.name ? `${step.slice(0, shown.name)}…` : step;
      path += path === '' ? name.toWellFormed() : `.${name.toWellFormed()}`;
    }
  }
  return path;
}

/** Names of the lists whose items are parts, in all dialects. */
export const partLists: ReadonlySet<string> = new Set(['parts', 'content']);

/** Names of members that hold arbitrary JSON, in which the names of `partLists` have no meaning. */
export const openMembers: ReadonlySet<string> = new Set(['metadata', 'data', 'variables']);
