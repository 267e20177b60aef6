import type { BoundedCount, Page, StatementPageRequest } from '../../core/model/knowledge.ts';

/** Where a connection's items come from. */
export interface Listing<Item> {
  page(request: StatementPageRequest): Promise<Page<Item>>;
  count(atMost: number): Promise<BoundedCount>;
}

/** A page of a list. Of what it can tell, only what is asked for is looked up. */
export class Connection<Item> {
  readonly #listing: Listing<Item>;
  readonly #request: StatementPageRequest;
  readonly #looked: (page: Page<Item>) => void;
  #page: Promise<Page<Item>> | undefined;
  #count: Promise<BoundedCount> | undefined;

  /** @param looked is told of the page, once it is looked at. */
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
   * All items, or as many as fit in `atMost`.
   *
   * @param counting is called when they are really counted
   */
  count(atMost: number, counting: () => void): Promise<BoundedCount> {
    this.#count ??= this.#total(atMost, counting);
    return this.#count;
  }

  async #load(): Promise<Page<Item>> {
    const { first, after } = this.#request;
    const page = await this.#listing.page(first === 0 ? { ...this.#request, first: 1 } : this.#request);
    // Of a page of nothing it can still be told whether there is anything.
    const told = first > 0 ? page : { items: [], endCursor: after ?? '', hasMore: page.items.length > 0 };
    this.#looked(told);
    return told;
  }

  async #total(atMost: number, counting: () => void): Promise<BoundedCount> {
    // Fields beside this one have asked by then, if they do.
    await Promise.resolve();
    const page = this.#request.after === undefined ? await this.#page : undefined;
    if (page && !page.hasMore) return { count: page.items.length, exact: true };
    counting();
    return this.#listing.count(atMost);
  }
}
