import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { A2AError, ErrorKind, GrpcStatusName } from '../../core/model/errors.ts';
import { bytesOf, type PackedDetail, unpackError } from '../../dialects/kernel/rpc-status.ts';

/** Trailers of gRPC-Web: the last message of a body, or the headers of an answer without messages. */

/** The trailers in a message, by names in lower case. */
export function parseTrailers(text: string): Map<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return new Map(
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
  get: (name: string) => string | null | undefined,
  kindOf?: (status: GrpcStatusName) => ErrorKind | undefined,
): A2AError | undefined {
  const status = get('grpc-status');
  if (status === null || status === undefined || status === '0') return undefined;
  const packed = get('grpc-status-details-bin');
  const message = percentDecoded(get('grpc-message') ?? '');
  return unpackError({ code: Number(status), message, details: packed ? detailsIn(bytesOf(packed)) : [] }, kindOf);
}

/** The details of a serialised google.rpc.Status. None where it is not valid. */
function detailsIn(status: Uint8Array): PackedDetail[] {
  try {
    return fieldsOf(status, 3).map((any) => ({
      typeUrl: new TextDecoder().decode(fieldsOf(any, 1)[0]),
      value: fieldsOf(any, 2)[0] ?? new Uint8Array(),
    }));
  } catch {
    return [];
  }
}

/** Values of a field of bytes in a serialised message. */
function fieldsOf(message: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(message);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === wanted && type === 2) found.push(reader.bytes());
    else reader.skip(type);
  }
  return found;
}

/** As it is where it is not valid. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
