import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Measured, measureRuns, type Part, type Settings } from './part.ts';

/** Measurements of a part, and the conditions of the run. */
export interface PartResult extends Measured {
  readonly conditions: Conditions;
  readonly at: string;
  readonly seconds: number;
}

/** Results under the same conditions can stand for each other. */
export interface Conditions {
  /** The commit, or undefined when files differ from it: no two such trees can be taken for the same. */
  readonly commit: string | undefined;
  readonly node: string;
  readonly settings: Settings;
}

type Results = Record<string, PartResult>;

/** Reads the results of an earlier run, part by part. Throws when the file is none. */
export function readResults(path: string): Results {
  const { parts } = JSON.parse(readFileSync(path, 'utf8')) as { parts?: Results };
  if (parts === undefined) throw new Error(`${path} has no results of this version of the benchmarks`);
  return parts;
}

/**
 * The results file. It is written after each part, and keeps what it has of other parts: a part that fails, or an
 * interrupted run, loses nothing of what was measured before.
 */
export class ResultsFile {
  /** Parts that failed in this run, and why. */
  readonly failed = new Map<string, string>();
  readonly #path: string;
  readonly #conditions: Conditions;
  readonly #tell: (line: string) => void;
  readonly #parts: Results;
  /** Parts of this run, in their order. */
  readonly #run: Results = {};

  /** @param tell is given each line of progress */
  constructor(path: string, conditions: Conditions, tell: (line: string) => void) {
    this.#path = path;
    this.#conditions = conditions;
    this.#tell = tell;
    this.#parts = earlier(path);
  }

  /** Measurements of this run so far, including results from a run that was interrupted. */
  get measured(): Readonly<Results> {
    return this.#run;
  }

  /**
   * Measures the parts one after another.
   *
   * @param resume takes over what an earlier run under the same conditions has measured
   */
  async measure(parts: readonly Part[], resume: boolean): Promise<void> {
    for (const [i, part] of parts.entries()) {
      const label = `${i + 1}/${parts.length} ${part.name}`;
      const kept = this.#parts[part.name];
      if (resume && kept !== undefined && this.#same(kept.conditions)) {
        this.#run[part.name] = kept;
        this.#tell(`${label}: measured at ${kept.at}`);
        continue;
      }
      this.#tell(`${label} …`);
      await this.#measure(part);
    }
  }

  async #measure(part: Part): Promise<void> {
    const begin = performance.now();
    try {
      const { figures, ratios } = await measureRuns(part, this.#conditions.settings);
      const seconds = Math.round((performance.now() - begin) / 100) / 10;
      const at = new Date().toISOString();
      const result = { conditions: this.#conditions, at, seconds, figures, ratios };
      this.#run[part.name] = result;
      this.#parts[part.name] = result;
      mkdirSync(dirname(this.#path), { recursive: true });
      writeFileSync(this.#path, `${JSON.stringify({ parts: this.#parts }, undefined, 2)}\n`);
      this.#tell(`  ${seconds} s`);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      this.failed.set(part.name, error);
      this.#tell(`  failed: ${error}`);
    }
  }

  #same(conditions: Conditions): boolean {
    return this.#conditions.commit !== undefined && JSON.stringify(conditions) === JSON.stringify(this.#conditions);
  }
}

function earlier(path: string): Results {
  try {
    return readResults(path);
  } catch {
    // There is none yet, or it is of an earlier version of the benchmarks.
    return {};
  }
}
