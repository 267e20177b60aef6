import type { A2AError, ErrorKind, GrpcStatusName } from '../../../core/model/errors.ts';
import { readStatus, unpackError } from '../../../dialects/kernel/rpc-status.ts';

/** Trailers of gRPC-Web: the last message of a body, or the headers of an answer without messages. By names in lower case. */
export type Trailers = Readonly<Record<string, string>>;

/** The trailers in a message. */
export function parseTrailers(text: string): Trailers {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/**
 * The error in trailers; undefined where the call succeeded, or there is no status.
 *
 * @param kindOf the dialect's own kinds for codes
 */
export function errorOfTrailers(
  trailers: Trailers,
  kindOf?: (status: GrpcStatusName) => ErrorKind | undefined,
): A2AError | undefined {
  const status = readStatus(trailers);
  return status && status.code !== 0 ? unpackError(status, kindOf) : undefined;
}
