import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runTypes } from '../../../codegen/project-types/command.ts';
import type { Failure, TypesOptions } from '../../../src/cli/commands/types.ts';
import { projectFolder, root } from './written.ts';

/** A project in which the command runs. */
export class Project {
  readonly folder: string = projectFolder();
  /** Version of the gateway whose command runs. */
  version = '1.2.3';

  /** Runs the command in this process. */
  async types(options: TypesOptions = {}): Promise<{ readonly failure: Failure | undefined; readonly text: string }> {
    let text = '';
    const failure = await runTypes(options, {
      cwd: this.folder,
      version: this.version,
      out: (printed) => {
        text += printed;
      },
    });
    return { failure, text };
  }

  /** The message of `--check`; undefined if all is up to date. */
  async check(options: TypesOptions = {}): Promise<string | undefined> {
    const { failure } = await this.types({ ...options, check: true });
    return failure?.message;
  }

  write(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Changes a file. */
  edit(path: string, change: (text: string) => string): void {
    const text = this.read(path);
    const changed = change(text);
    if (changed === text) throw new Error(`${path} is as it was`);
    this.write(path, changed);
  }
}

/** The published proto of A2A 1.0. */
export const published: string = readFileSync(join(root, 'proto/a2a-1.0/lf/a2a/v1/a2a.proto'), 'utf8');

/** Its bundle. */
export const publishedBundle: string = readFileSync(join(root, 'codegen/schemas/a2a-1.0.json'), 'utf8');
