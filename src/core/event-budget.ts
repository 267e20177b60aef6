/** How much of the events that wait for readers may stay in memory, all streams together. */
export class EventBudget {
  readonly #max: number;
  /** Characters of JSON that wait. An event that waits for several readers counts for each. */
  held = 0;

  /** @param max characters of JSON */
  constructor(max: number) {
    this.#max = max;
  }

  /** Whether no more should be kept: what is not can be read from the log. */
  get spent(): boolean {
    return this.held >= this.#max;
  }
}
