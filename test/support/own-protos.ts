/** Protos of a user who has a protocol of their own: by path, of which `shop.proto` is the one that is generated for. */
export const ownProtos: Readonly<Record<string, string>> = {
  'shop.proto': `syntax = "proto3";
// License of the shop.
package acme.shop.v2;
import "acme/money.proto";
import "google/api/annotations.proto";
import "google/api/field_behavior.proto";
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "types.proto";

// Sells things.
service Shop {
  rpc Buy(Order) returns (Receipt) { option (google.api.http) = { post: "/orders" body: "*" }; }
  rpc Watch(google.protobuf.Empty) returns (stream Order.Line);
  rpc Upload(stream Order) returns (google.protobuf.Empty);
  rpc Talk(stream Order) returns (stream Receipt);
}
service Stock { rpc Count(Error) returns (Object); }

// A /* remark with a star and a slash: *\u2060/.
message Order {
  string id = 1 [(google.api.field_behavior) = REQUIRED];
  repeated Line lines = 2;
  map<string, Line> by_sku = 3;
  map<int32, Kind> kinds = 4;
  map<string, bytes> files = 5;
  map<int64, bool> seen = 6;
  oneof payment { acme.Money cash = 7; string card = 8; Voucher voucher = 9; bytes token = 10; Kind default = 11; }
  optional int32 priority = 12;
  int64 number = 13;
  uint64 total = 14;
  Order parent = 15;
  Shared shared = 16;
  enum Kind { KIND_UNSPECIFIED = 0; KIND_GIFT = 1; KIND_OLD = 2 [deprecated = true]; }
  message Line { string sku = 1; Kind kind = 2; Deep deep = 3; message Deep { enum Kind { A = 0; B = 1; } Kind kind = 1; } }
  message Voucher { string code = 1 [deprecated = true]; }
}
message Receipt {
  google.protobuf.Any any = 1;
  google.protobuf.Duration took = 2;
  google.protobuf.FieldMask mask = 3;
  google.protobuf.Struct metadata = 4;
  google.protobuf.Value value = 5;
  google.protobuf.ListValue list = 6;
  google.protobuf.NullValue nothing = 7;
  google.protobuf.Timestamp at = 8;
  google.protobuf.StringValue maybe = 9;
  repeated google.protobuf.Timestamp times = 10;
  oneof a { int32 x = 11; } oneof b { double y = 12; float z = 13; }
}
message Error { string class = 1; string constructor = 2; bool function = 3; string new = 4; }
message Object { Error error = 1; repeated sint64 numbers = 2; Promise promise = 3; }
message Promise { string then = 1; Date date = 2; Empty empty = 3; }
message Date { fixed64 ticks = 1; }
message Empty {}
`,
  'types.proto': `syntax = "proto3";
package acme.shop.v2;
message Shared { string note = 1; map<string, Shared> more = 2; }
`,
  'acme/money.proto': `syntax = "proto3";
package acme;
import public "acme/currency.proto";
message Money { Currency currency = 1; int64 units = 2; }
`,
  'acme/currency.proto': `syntax = "proto3";
package acme;
enum Currency { CURRENCY_UNSPECIFIED = 0; CURRENCY_EUR = 1; }
`,
};
