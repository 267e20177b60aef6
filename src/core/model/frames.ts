/** Headers as Node and undici have them. */
export type FrameHeaders = Readonly<Record<string, string | readonly string[] | number | undefined>>;

/** Receives one request to a server, and its response, as they are sent and received. Must not throw. */
export interface FrameTap {
  /** @param first line of the request, such as `POST /a2a HTTP/1.1` */
  sent(first: string, headers: FrameHeaders, body?: string | Uint8Array): void;
  /** @param first line of the response */
  received(first: string, headers: FrameHeaders): void;
  /** Receives a part of the response's body; over gRPC one message, without its prefix. */
  data(chunk: Uint8Array): void;
  trailers?(headers: FrameHeaders): void;
  /** @param failure reason why the response ended early */
  end(failure?: Error): void;
}

/** The latest request of a call to a server, and its answer so far. It refers to data that the client holds anyway. */
export interface LatestExchange {
  readonly request: {
    readonly method: string;
    readonly url: Pick<URL, 'pathname' | 'search'>;
    readonly headers: FrameHeaders;
    readonly body?: string | Uint8Array | undefined;
  };
  /** The headers of the request that hold credentials. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Undefined until an answer begins. */
  answer: LatestAnswer | undefined;
}

export interface LatestAnswer {
  readonly status: number;
  readonly headers: FrameHeaders;
  /** The latest part of the body: the whole body, unless the answer is a stream. */
  readonly received?: Uint8Array | undefined;
  readonly trailers?: FrameHeaders;
}
