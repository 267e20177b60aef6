import type { BoundedCount, Page, StatementPageRequest } from '../../core/model/knowledge.ts';

/** Source of a connection's items. */
export interface Listing<Item> {
  page(request: StatementPageRequest): Promise<Page<Item>>;
  count(atMost: number): Promise<BoundedCount>;
}

/** A page of a list. Only the requested fields are looked up. */
export class Connection<Item> {
  readonly #listing: Listing<Item>;
  readonly #request: StatementPageRequest;
  readonly #looked: (page: Page<Item>) => void;
  #page: Promise<Page<Item>> | undefined;
  #count: Promise<BoundedCount> | undefined;

  /** @param looked called with the page once it is read */
  constructor(listing: Listing<Item>, request: StatementPageRequest, looked: (page: Page<Item>) => void) {
    this.#listing = listing;
    this.#request = request;
    this.#looked = looked;
  }

  page(): Promise<Page<Item>> {
    this.#page ??= this.#load();
    return this.#page;
  }

  /**
   * Counts all items up to `atMost`.
   *
   * @param counting called if the store must count
   */
  count(atMost: number, counting: () => void): Promise<BoundedCount> {
    this.#count ??= this.#total(atMost, counting);
    return this.#count;
  }

  async #load(): Promise<Page<Item>> {
    const { first, after } = this.#request;
    const page = await this.#listing.page(first === 0 ? { ...this.#request, first: 1 } : this.#request);
    // An empty page can still tell whether there are items.
    const told = first > 0 ? page : { items: [], endCursor: after ?? '', hasMore: page.items.length > 0 };
    this.#looked(told);
    return told;
  }

  async #total(atMost: number, counting: () => void): Promise<BoundedCount> {
    // Sibling fields have started their reads by then.
    await Promise.resolve();
    const page = this.#request.after === undefined ? await this.#page : undefined;
    if (page && !page.hasMore) return { count: page.items.length, exact: true };
    counting();
    return this.#listing.count(atMost);
  }
}
