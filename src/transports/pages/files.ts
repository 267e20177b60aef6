import type { MemoryBudget } from '../../core/limits/memory-budget.ts';
import { Reservation } from '../../core/limits/reservation.ts';
import { logFailure } from '../../core/middleware/logging.ts';
import type { Part } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { ReadBudget } from '../../core/model/memory.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import type { Exchange, RefusedExchange } from '../http/exchange.ts';
import { errorHeaders, isUnchanged, send, sendEmpty } from '../http/headers.ts';
import { mountOf, originOf } from '../http/request-facts.ts';

/** Inline bytes of a task, as they are served. */
export interface HostedFile {
  readonly bytes: Buffer;
  readonly mediaType: string | undefined;
  readonly filename: string | undefined;
  /** The same for the same file, and no other's. */
  readonly digest: string;
}

/** Knows the inline bytes of tasks by tokens that nobody can guess. */
export interface FileHost {
  /** Token of a part with inline bytes: the same each time, good as long as the task lives, safe in a URL. */
  seal(owner: TaskOwner, taskId: string, part: Part): string;
  /** The file that a token of this agent stands for. Rejects with A2AError `unavailable` when the store is away. */
  open(agent: string, token: string, room?: ReadBudget): Promise<HostedFile | undefined>;
}

export interface FilesOptions {
  readonly host: FileHost;
  /** What URLs begin with; undefined where the gateway does not know, and the request says. */
  readonly publicUrl: () => string | undefined;
  readonly logger: Logger;
  /** Where files are reserved, by the addresses of those who read them. */
  readonly budget: MemoryBudget;
}

/** Files at URLs, for clients of dialects that know no inline bytes. */
export interface Files {
  /** Makes URLs for the caller of an exchange, whose tasks are the owner's. */
  urlsFor(exchange: Pick<Exchange, 'req' | 'agent'>, owner: TaskOwner): NonNullable<CodecContext['fileUrl']>;
  /** Whether a path below an agent's base is a file's. */
  has(path: string): boolean;
  /** Answers GET and HEAD. The URL is the capability: no credentials are asked for. Never rejects. */
  serve(refused: RefusedExchange, agent: string): Promise<void>;
}

const prefix = '/files/';

/** What is served was made by an agent or a caller: browsers are to run and to render none of it here. */
const harmless = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; sandbox"],
];

/** Serves the inline bytes of tasks at `{base}/files/{token}`. */
export function createFiles({ host, publicUrl, logger, budget }: FilesOptions): Files {
  return {
    urlsFor({ req, agent }, owner) {
      // The agent is named even where it is the default, since another Host may have made it so.
      const base = `${publicUrl() ?? originOf(req)}${mountOf(req)}/${agent}${prefix}`;
      return (taskId, part) => base + host.seal(owner, taskId, part);
    },
    has: (path) => path.startsWith(prefix),
    async serve({ req, res, path, requestId }, agent) {
      const headers = ['X-Request-Id', requestId, ...harmless];
      try {
        const room = Reservation.for(res, budget, { id: `address:${req.socket.remoteAddress}` });
        const file = await host.open(agent, path.slice(prefix.length), room);
        if (!file) return send(res, 404, headers, 'text/plain', 'Not found\n');
        const etag = `"${file.digest}"`;
        // Asked for again each time, since the file ends with its task.
        headers.push('ETag', etag, 'Cache-Control', 'private, no-cache');
        if (isUnchanged(req, etag)) return sendEmpty(res, 304, headers);
        headers.push('Content-Type', typeOf(file.mediaType), 'Content-Disposition', dispositionOf(file.filename));
        headers.push('Content-Length', String(file.bytes.length));
        if (res.headersSent || res.destroyed) return;
        res.writeHead(200, headers);
        res.end(req.method === 'HEAD' ? undefined : file.bytes);
      } catch (thrown) {
        const error = A2AError.from(thrown);
        logFailure(logger, error, { request: requestId });
        send(res, error.row.http, [...headers, ...errorHeaders(error)], 'text/plain', 'The file cannot be read now\n');
      }
    },
  };
}

const mediaType = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: ?; ?[\w-]{1,40}=[\w.+:-]{1,127}){0,4}$/;

/** The media type where it is one. */
const typeOf = (given: string | undefined): string =>
  given !== undefined && mediaType.test(given) ? given : 'application/octet-stream';

/** RFC 6266: the name in ASCII for all, and as it is (RFC 8187) where that is not the same. Never a path. */
function dispositionOf(filename = ''): string {
  // Control and format characters, such as those that turn the direction of text, are no part of a name.
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
