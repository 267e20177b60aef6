/** How messages look on the wire, which the media type says. */
export interface WireFormat {
  readonly mediaType: string;
  /** Connect's own protocol, or gRPC-Web. */
  readonly web: boolean;
  readonly json: boolean;
  /** Messages have prefixes. Connect's unary calls have bare bodies. */
  readonly enveloped: boolean;
  /** The whole body is base64, for browsers that cannot read bytes (gRPC-Web only). */
  readonly text: boolean;
}

const connect = (mediaType: string, json: boolean, enveloped: boolean): WireFormat => ({
  mediaType,
  web: false,
  json,
  enveloped,
  text: false,
});
const web = (mediaType: string, json: boolean, text = false): WireFormat => ({
  mediaType,
  web: true,
  json,
  enveloped: true,
  text,
});

const wireFormats: readonly WireFormat[] = [
  connect('application/json', true, false),
  connect('application/proto', false, false),
  connect('application/connect+json', true, true),
  connect('application/connect+proto', false, true),
  web('application/grpc-web', false),
  web('application/grpc-web+proto', false),
  web('application/grpc-web+json', true),
  web('application/grpc-web-text', false, true),
  web('application/grpc-web-text+proto', false, true),
];

const byMediaType = new Map(wireFormats.map((shape) => [shape.mediaType, shape]));

/** The shape that a request has; undefined for a media type that is none of ours. */
export const wireFormatOf = (mediaType: string | undefined): WireFormat | undefined => byMediaType.get(mediaType ?? '');

/** Whether calls of this kind travel in this shape: Connect has one for unary calls and one for streams. */
export const fits = (shape: WireFormat, streaming: boolean): boolean => shape.web || shape.enveloped === streaming;

/** What an rpc accepts, for `Accept-Post`. */
export const acceptable = (streaming: boolean): string =>
  wireFormats
    .filter((shape) => fits(shape, streaming))
    .map(({ mediaType }) => mediaType)
    .join(', ');
