import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { CommandFailed } from '../exit-code.ts';
import type { Output } from '../output.ts';

import { type GatewayOptions, withAdmin } from '../own-gateway.ts';

const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

/** `a2a-gateway backup`: writes a copy of a gateway's SQLite database to a new file that only its owner can read. */
export async function backup(target: string, path: string, options: GatewayOptions, output: Output): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'it exists already; name a new file' : error.message;
    throw new CommandFailed(`${path} cannot be written: ${why}`);
  });
  try {
    const { size, sha256 } = await withAdmin(target, options, output, async (admin) => {
      output.progress('copying the database …');
      const hash = createHash('sha256');
      let expected = 0;
      let written = 0;
      for await (const chunk of admin.backUpStore({})) {
        if (chunk.data) {
          const bytes = Buffer.from(chunk.data, 'base64');
          hash.update(bytes);
          await writeAll(file, bytes);
          written += bytes.length;
          output.progress(`${mebibytes(written)} of about ${mebibytes(expected)}`);
        } else if (chunk.sha256) {
          if (Number(chunk.size) === written && chunk.sha256 === hash.digest('hex')) return chunk;
          throw new CommandFailed('the backup was damaged on its way: its size or SHA-256 differs');
        } else expected = Number(chunk.size ?? 0);
      }
      throw new CommandFailed('the gateway ended the backup before it was complete');
    });
    await file.sync();
    await file.close();
    output.clearProgress();
    if (options.json) output.print(`${JSON.stringify({ file: path, size: Number(size), sha256 })}\n`);
    else output.print(`${path}: ${mebibytes(Number(size))}, SHA-256 ${sha256}\n`);
  } catch (error) {
    output.clearProgress();
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}
