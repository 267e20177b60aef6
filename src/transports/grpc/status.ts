import type { Metadata } from '@grpc/grpc-js';
import { type A2AError, grpcStatus } from '../../core/errors.ts';
import { Status } from '../../gen/proto/google/rpc/status.ts';
import { headerMessage, packDetails } from '../rpc-error.ts';

/** The end of a call as grpc-js takes it. */
export interface CallStatus {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata | null;
}

/**
 * An error as a gRPC status, its google.rpc.Status in `grpc-status-details-bin` (A2A 1.0.1 section 10.6).
 *
 * @param metadata trailers that the details are added to
 */
export function statusOf(error: A2AError, metadata: Metadata): CallStatus {
  const code = grpcStatus[error.row.grpc];
  const details = headerMessage(error);
  const packed = Status.encode({ code, message: details, details: packDetails(error).map(any) }).finish();
  metadata.set('grpc-status-details-bin', Buffer.from(packed));
  if (error.retryAfter !== undefined) metadata.set('retry-after', String(Math.ceil(error.retryAfter)));
  return { code, details, metadata };
}

const any = ({ typeUrl, value }: { typeUrl: string; value: Uint8Array }) => ({ typeUrl, value: Buffer.from(value) });
