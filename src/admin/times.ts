/** A time in the JSON form of google.protobuf.Timestamp. @param at milliseconds since the epoch */
export const timestamp = (at: number): string => new Date(at).toISOString();
