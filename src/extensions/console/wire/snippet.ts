import type { BindingId, Callable } from './callables.ts';
import type { HttpText } from './http-text.ts';

/** A call as a command, or as code. Credentials are read from the environment. */

export interface Snippet {
  readonly id: 'curl' | 'grpcurl' | 'command' | 'javascript' | 'python';
  readonly title: string;
  /** Absent where there is no such way. */
  readonly code?: string;
  /** What to install, or why there is no code. */
  readonly note?: string;
}

export interface SnippetOptions {
  readonly callable: Callable;
  /** As it is sent. */
  readonly http: HttpText;
  /** In v1. */
  readonly request: Record<string, unknown>;
  readonly agent: string;
  /** URL of the gateway's mount point, without a slash at the end. */
  readonly gateway: string;
  /** The header of the session's credential. Absent: calls need none. */
  readonly credential?: { readonly header: string; readonly kind: 'apiKey' | 'bearer' };
}

/** The bindings of the command by those of the console. */
export const via: Readonly<Record<BindingId, string>> = {
  jsonrpc: 'jsonrpc',
  rest: 'rest',
  connect: 'connect',
  'grpc-web': 'connect',
};

/** A body of JSON on one line; any other as it stands. */
export const compact = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
};
