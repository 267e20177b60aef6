import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A ratio that was measured, and what it was meant to be. */
export interface GoalRow {
  readonly what: string;
  readonly measured: number;
  readonly wanted: string;
  readonly met: boolean;
}

/**
 * What a run of the benchmarks has measured so far. Written after every part, so that one that fails, or an interrupted run,
 * loses nothing of what was measured before.
 */
export class Report {
  readonly figures: Record<string, unknown>[] = [];
  readonly goals: GoalRow[] = [];
  /** Parts that failed, and why. */
  readonly failed: { readonly part: string; readonly error: string }[] = [];
  readonly #path: string;
  readonly #facts: object;
  readonly #tell: (line: string) => void;
  #begun = 0;

  /**
   * @param path of the JSON file
   * @param facts what the file says of the run besides
   * @param tell given each line of progress
   */
  constructor(path: string, facts: object, tell: (line: string) => void) {
    this.#path = path;
    this.#facts = facts;
    this.#tell = tell;
  }

  /** Measures one part, and goes on whatever becomes of it. */
  async part(name: string, measure: () => Promise<void>): Promise<void> {
    this.#begun += 1;
    this.#tell(`${this.#begun}. ${name} …`);
    const begin = performance.now();
    try {
      await measure();
      this.#tell(`   ${((performance.now() - begin) / 1_000).toFixed(1)} s`);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      this.failed.push({ part: name, error });
      this.#tell(`   failed: ${error}`);
    }
    this.#save();
  }

  #save(): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    const { figures, goals, failed } = this;
    writeFileSync(this.#path, `${JSON.stringify({ ...this.#facts, figures, goals, failed }, undefined, 2)}\n`);
  }
}
