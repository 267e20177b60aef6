import { logFailure } from '../../core/middleware/logging.ts';
import type { Part } from '../../core/model/a2a.ts';
import type { Requester } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import type { Exchange, RefusedExchange } from './exchange.ts';
import { errorHeaders, send, sendDocument } from './headers.ts';
import { mountOf, originOf } from './request-facts.ts';

/** Inline bytes of a task's part. */
export interface HostedFile {
  readonly bytes: Buffer;
  readonly mediaType: string | undefined;
  readonly filename: string | undefined;
  /** Digest of the content. */
  readonly digest: string;
}

/** Finds the inline bytes of tasks by unguessable tokens. */
export interface FileHost {
  /** Token of a part with inline bytes: deterministic, valid as long as the task exists, safe in a URL. */
  seal(owner: TaskOwner, taskId: string, part: Part): string;
  /** The file of a token of this agent. Rejects with A2AError `unavailable` if the store is unreachable. */
  open(agent: string, token: string, requester?: Requester): Promise<HostedFile | undefined>;
}

interface FilesOptions {
  readonly host: FileHost;
  /** Start of the URLs. Undefined: it is taken from the request. */
  readonly publicUrl: () => string | undefined;
  readonly logger: Logger;
}

export type Files = ReturnType<typeof createFiles>;

const prefix = '/files/';

/** Files come from agents or callers: browsers must not run or render them on this origin. */
const harmless = ['X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', "default-src 'none'; sandbox"];

/** Serves the inline bytes of tasks at `{base}/files/{token}`, for clients of dialects without inline bytes. */
export function createFiles({ host, publicUrl, logger }: FilesOptions) {
  return {
    /** Creates URLs of an owner's files for the caller of an exchange. */
    urlsFor({ req, agent }: Pick<Exchange, 'req' | 'agent'>, owner: TaskOwner): NonNullable<CodecContext['fileUrl']> {
      // The URL names the agent even if it is the default one, because the default depends on the Host header.
      const base = `${publicUrl() ?? originOf(req)}${mountOf(req)}/${agent}${prefix}`;
      return (taskId, part) => base + host.seal(owner, taskId, part);
    },
    /** Whether a path below an agent's base leads to a file. */
    has: (path: string): boolean => path.startsWith(prefix),
    /** Answers GET and HEAD. The URL is a capability; no credentials are needed. Never rejects. */
    async serve({ req, res, path, facts, requestId }: RefusedExchange, agent: string): Promise<void> {
      const headers = ['X-Request-Id', requestId, ...harmless];
      try {
        const file = await host.open(agent, path.slice(prefix.length), facts);
        if (!file) return send(res, 404, headers, 'text/plain', 'Not found\n');
        const etag = `"${file.digest}"`;
        // Caches must revalidate, because the file is deleted with its task.
        headers.push('Cache-Control', 'private, no-cache', 'Content-Disposition', dispositionOf(file.filename));
        sendDocument(req, res, { body: file.bytes, mediaType: typeOf(file.mediaType), etag }, headers);
      } catch (thrown) {
        const error = A2AError.from(thrown);
        logFailure(logger, error, { request: requestId });
        headers.push(...errorHeaders(error));
        send(res, error.row.http, headers, 'text/plain', 'The file cannot be read at the moment\n');
      }
    },
  };
}

const mediaType = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: ?; ?[\w-]{1,40}=[\w.+:-]{1,127}){0,4}$/;

/** The media type, if it is valid. */
const typeOf = (given: string | undefined): string =>
  given !== undefined && mediaType.test(given) ? given : 'application/octet-stream';

/** Value of Content-Disposition (RFC 6266): the name in ASCII, and in Unicode (RFC 8187) if that differs. Never a path. */
function dispositionOf(filename = ''): string {
  // Control and format characters, such as those that reverse the direction of text, are removed.
  const [name = ''] = filename.replaceAll(/\p{C}/gu, '').split(/[\\/]/).slice(-1);
  const short = [...name].slice(0, 200).join('').trim();
  if (short === '' || short === '.' || short === '..') return 'attachment';
  const ascii = short.replaceAll(/[^\x20-\x7e]|["%]/g, '_');
  const disposition = `attachment; filename="${ascii}"`;
  if (ascii === short) return disposition;
  const encoded = encodeURIComponent(short).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename*=UTF-8''${encoded}`;
}
