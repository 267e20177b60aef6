import type { ReplyNotes } from '../../core/model/call.ts';
import type { A2AError, GrpcStatusName } from '../../core/model/errors.ts';
import { trimEnd } from '../../core/model/text.ts';
import { connectCodeOf } from '../../dialects/kernel/rpc-status.ts';
import type { WireProtocol } from '../../dialects/kernel/wire.ts';
import type { RefusedExchange } from '../http/exchange.ts';
import { answerHeaders, errorHeaders, send } from '../http/headers.ts';
import { envelope, flags } from '../rpc/envelope.ts';
import {
  headerMessage,
  metadataOf,
  packDetails,
  plainStatus,
  type StatusOfError,
  statusHeaders,
  statusOfError,
} from '../rpc/errors.ts';
import { trailersOf } from '../rpc/serve-call.ts';
import { acceptedEncodings, type ConnectFormat } from './request.ts';

export type ConnectResponse = ReturnType<typeof createResponse>;

/** Writes the response of one call in the format of its request. Does nothing once it has ended or the client is gone. */
export function createResponse(
  { res, requestId }: RefusedExchange,
  format: ConnectFormat,
  dialect: WireProtocol | undefined,
) {
  const isOver = (): boolean => res.writableEnded || res.destroyed;
  const write = (bytes: Buffer): boolean => res.write(format.text ? bytes.toString('base64') : bytes);
  const response = {
    notes: undefined as ReplyNotes | undefined,
    get over(): boolean {
      return isOver();
    },
    /** Sends the one message of a unary call, and ends the response. */
    value(message: Uint8Array | string): void {
      if (isOver()) return;
      if (format.enveloped) {
        response.begin();
        response.message(message);
        response.end();
        return;
      }
      res.writeHead(200, [...headers(), ...trailersAhead(), 'Content-Length', String(Buffer.byteLength(message))]);
      res.end(message);
    },
    /** Sends the headers of a stream with its first message. */
    begin(): void {
      if (isOver() || res.headersSent) return;
      res.writeHead(200, [...headers(), 'Cache-Control', 'no-cache', 'X-Accel-Buffering', 'no']);
    },
    /** Sends one message of a stream. False when the caller should wait until the client has read it. */
    message(message: Uint8Array | string): boolean {
      return isOver() || write(envelope(typeof message === 'string' ? Buffer.from(message) : message));
    },
    end(): void {
      if (isOver()) return;
      response.begin();
      if (format.web) write(webTrailers(['grpc-status', '0', ...trailers()]));
      else write(endOfStream({}));
      res.end();
    },
    /** Ends the response with an error, whatever was sent before. */
    fail(error: A2AError): void {
      if (isOver()) return;
      const hasBegun = res.headersSent;
      const more = error.kind === 'unimplemented' ? acceptedEncodings(format) : [];
      const toStatus = dialect ? dialect.grpc?.encodeError : plainStatus;
      if (format.web) {
        const { 'retry-after': _, ...own } = statusHeaders(error, toStatus);
        const status = [...Object.entries(own).flat(), ...trailers()];
        if (hasBegun) write(webTrailers(status));
        // A response without messages has its trailers in the headers.
        else res.writeHead(200, [...headers(), ...more, ...errorHeaders(error), ...status, 'Content-Length', '0']);
        res.end();
        return;
      }
      const { status, body } = encodeError(error, toStatus);
      if (!format.enveloped) {
        const all = [...ownHeaders(), ...trailersAhead(), ...more, ...errorHeaders(error)];
        // Connect has 404 for what does not exist.
        send(
          res,
          !dialect && error.kind === 'routeNotFound' ? 404 : status,
          all,
          'application/json',
          JSON.stringify(body),
        );
        return;
      }
      if (!hasBegun) res.writeHead(200, [...headers(), ...more, ...errorHeaders(error)]);
      write(endOfStream({ error: body }));
      res.end();
    },
  };
  const ownHeaders = (): string[] => {
    const all = answerHeaders(requestId, dialect, response.notes);
    return response.notes?.headers ? all.concat(response.notes.headers) : all;
  };
  const headers = (): string[] => [...ownHeaders(), 'Content-Type', format.mediaType];
  const trailers = (): readonly string[] => trailersOf(response.notes);
  /** Trailers of a unary call, which has them among its headers. */
  const trailersAhead = (): readonly string[] =>
    response.notes?.trailers?.map((text, at) => (at % 2 === 0 ? `trailer-${text}` : text)) ?? [];
  const endOfStream = (outcome: object): Buffer => {
    const metadata = Object.entries(metadataOf(trailers())).map(([name, values]) => [name, [values].flat()]);
    const end = metadata.length === 0 ? outcome : { ...outcome, metadata: Object.fromEntries(metadata) };
    return envelope(Buffer.from(JSON.stringify(end)), flags.connectEnd);
  };
  return response;
}

/** Trailers as the last message of a gRPC-Web body. */
function webTrailers(entries: readonly string[]): Buffer {
  let text = '';
  for (let i = 0; i < entries.length; i += 2) text += `${entries[i]}: ${entries[i + 1]}\r\n`;
  return envelope(Buffer.from(text), flags.webTrailers);
}

/** HTTP statuses of unary calls by code. Default: 500. */
const httpStatuses: Readonly<Partial<Record<GrpcStatusName, number>>> = {
  CANCELLED: 499,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  UNAUTHENTICATED: 401,
};

/** The body for an error in Connect's JSON, `{ code, message, details: [{ type, value }] }`, and its HTTP status. */
function encodeError(error: A2AError, toStatus: StatusOfError = statusOfError) {
  const { status, message, details: packed = packDetails(error) } = toStatus(error);
  const details = packed.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value: trimEnd(Buffer.from(value).toString('base64'), '='),
  }));
  const body = { code: connectCodeOf(status), message: headerMessage(message), details };
  return { status: httpStatuses[status] ?? 500, body };
}
