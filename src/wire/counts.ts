import type { CountLimits } from '../core/limits/counts.ts';
import type { Reservation } from '../core/limits/memory-budget.ts';
import { A2AError, type FieldViolation } from '../core/model/errors.ts';
import type { JsonObject } from '../core/model/json.ts';

/** Limits, and the reservation of memory, for the document of a request. */
export interface RequestReading {
  /** Limits on counts. Default: those of `limits` without a configuration. */
  readonly counts?: CountLimits | undefined;
  /** Whether to find the scalar members of a JSON document that is refused, for answering a request of JSON-RPC. */
  readonly enveloped?: boolean;
  /** Reserves memory for the parsed document. */
  readonly reservation?: Reservation | undefined;
}

/** Limits, and the reservation of memory, for the messages of a call. */
export interface MessageReading extends RequestReading {
  /** Bytes of each message, uncompressed. */
  readonly limit: number;
}

/** Counts a body, or a message, of `size` bytes before it is read. Throws `unavailable` without memory, or `canceled`. */
export const countBody = ({ reservation }: RequestReading, size: number): void => reservation?.reserveRequest(size);

/** Counts a body of `size` bytes by what it takes once it is parsed, before it is. Throws `unavailable` without memory. */
export const countParsed = ({ reservation }: RequestReading, size: number, parsed: () => number): void =>
  reservation?.reserveParsed(size, parsed);

/** A limit that a document exceeds, and its path. */
export interface Excess {
  readonly what: 'parts' | 'keys' | 'values';
  /** Path of the list or object in the document; '' for the document. */
  readonly path: string;
  readonly limit: number;
}

/** Error of a request that was refused before it was parsed, since it exceeds a limit. */
export class ExcessiveRequestError extends A2AError {
  /** Scalar members of the document's object, for answering a request of JSON-RPC. */
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

/** Returns the error for an agent's answer that exceeds a limit: it is refused as a whole. */
export const excessiveAnswer = ({ what, path, limit }: Excess): A2AError =>
  new A2AError(
    'invalidAgentResponse',
    `The agent's answer is refused: ${path === '' ? 'it' : path} has more than ${limit} ${what}`,
  );

const metadataOf = ({ what, limit }: Excess) => ({ metadata: { limit: `limits.${what}`, [what]: `${limit}` } });

function violationsOf({ what, path, limit }: Excess): FieldViolation[] {
  // Parameters of JSON-RPC have the names that they have without the envelope.
  const field = path.replace(/^params\.(?=.)/, '') || 'the request';
  return [{ field, description: `has more than ${limit} ${what} (limits.${what})` }];
}

/** Characters of one step of a path, and number of steps: callers choose names. */
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

/** Names of the members that hold any JSON, in which those names have no meaning. */
export const openMembers: ReadonlySet<string> = new Set(['metadata', 'data', 'variables']);
