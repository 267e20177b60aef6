// Generated from proto/a2a-1.0/lf/a2a/v1/a2a.proto by protobuf-es by `npm run generate`. Do not edit.

import type { GenEnum, GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import { enumDesc, fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import type { EmptySchema, Timestamp, Value } from "@bufbuild/protobuf/wkt";
import { file_google_protobuf_empty, file_google_protobuf_struct, file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import type { JsonObject, Message as Message$1 } from "@bufbuild/protobuf";

/**
 * Describes the file lf/a2a/v1/a2a.proto.
 */
export const file_lf_a2a_v1_a2a: GenFile = /*@__PURE__*/
  fileDesc("ChNsZi9hMmEvdjEvYTJhLnByb3RvEglsZi5hMmEudjEi0wEKGFNlbmRNZXNzYWdlQ29uZmlndXJhdGlvbhIdChVhY2NlcHRlZF9vdXRwdXRfbW9kZXMYASADKAkSTAoddGFza19wdXNoX25vdGlmaWNhdGlvbl9jb25maWcYAiABKAsyJS5sZi5hMmEudjEuVGFza1B1c2hOb3RpZmljYXRpb25Db25maWcSGwoOaGlzdG9yeV9sZW5ndGgYAyABKAVIAIgBARIaChJyZXR1cm5faW1tZWRpYXRlbHkYBCABKAhCEQoPX2hpc3RvcnlfbGVuZ3RoIsUBCgRUYXNrEgoKAmlkGAEgASgJEhIKCmNvbnRleHRfaWQYAiABKAkSJQoGc3RhdHVzGAMgASgLMhUubGYuYTJhLnYxLlRhc2tTdGF0dXMSJgoJYXJ0aWZhY3RzGAQgAygLMhMubGYuYTJhLnYxLkFydGlmYWN0EiMKB2hpc3RvcnkYBSADKAsyEi5sZi5hMmEudjEuTWVzc2FnZRIpCghtZXRhZGF0YRgGIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QihQEKClRhc2tTdGF0dXMSIwoFc3RhdGUYASABKA4yFC5sZi5hMmEudjEuVGFza1N0YXRlEiMKB21lc3NhZ2UYAiABKAsyEi5sZi5hMmEudjEuTWVzc2FnZRItCgl0aW1lc3RhbXAYAyABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wIrgBCgRQYXJ0Eg4KBHRleHQYASABKAlIABINCgNyYXcYAiABKAxIABINCgN1cmwYAyABKAlIABImCgRkYXRhGAQgASgLMhYuZ29vZ2xlLnByb3RvYnVmLlZhbHVlSAASKQoIbWV0YWRhdGEYBSABKAsyFy5nb29nbGUucHJvdG9idWYuU3RydWN0EhAKCGZpbGVuYW1lGAYgASgJEhIKCm1lZGlhX3R5cGUYByABKAlCCQoHY29udGVudCLcAQoHTWVzc2FnZRISCgptZXNzYWdlX2lkGAEgASgJEhIKCmNvbnRleHRfaWQYAiABKAkSDwoHdGFza19pZBgDIAEoCRIdCgRyb2xlGAQgASgOMg8ubGYuYTJhLnYxLlJvbGUSHgoFcGFydHMYBSADKAsyDy5sZi5hMmEudjEuUGFydBIpCghtZXRhZGF0YRgGIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QSEgoKZXh0ZW5zaW9ucxgHIAMoCRIaChJyZWZlcmVuY2VfdGFza19pZHMYCCADKAkioQEKCEFydGlmYWN0EhMKC2FydGlmYWN0X2lkGAEgASgJEgwKBG5hbWUYAiABKAkSEwoLZGVzY3JpcHRpb24YAyABKAkSHgoFcGFydHMYBCADKAsyDy5sZi5hMmEudjEuUGFydBIpCghtZXRhZGF0YRgFIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QSEgoKZXh0ZW5zaW9ucxgGIAMoCSKOAQoVVGFza1N0YXR1c1VwZGF0ZUV2ZW50Eg8KB3Rhc2tfaWQYASABKAkSEgoKY29udGV4dF9pZBgCIAEoCRIlCgZzdGF0dXMYAyABKAsyFS5sZi5hMmEudjEuVGFza1N0YXR1cxIpCghtZXRhZGF0YRgEIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QitAEKF1Rhc2tBcnRpZmFjdFVwZGF0ZUV2ZW50Eg8KB3Rhc2tfaWQYASABKAkSEgoKY29udGV4dF9pZBgCIAEoCRIlCghhcnRpZmFjdBgDIAEoCzITLmxmLmEyYS52MS5BcnRpZmFjdBIOCgZhcHBlbmQYBCABKAgSEgoKbGFzdF9jaHVuaxgFIAEoCBIpCghtZXRhZGF0YRgGIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QiOQoSQXV0aGVudGljYXRpb25JbmZvEg4KBnNjaGVtZRgBIAEoCRITCgtjcmVkZW50aWFscxgCIAEoCSJhCg5BZ2VudEludGVyZmFjZRILCgN1cmwYASABKAkSGAoQcHJvdG9jb2xfYmluZGluZxgCIAEoCRIOCgZ0ZW5hbnQYAyABKAkSGAoQcHJvdG9jb2xfdmVyc2lvbhgEIAEoCSKeBQoJQWdlbnRDYXJkEgwKBG5hbWUYASABKAkSEwoLZGVzY3JpcHRpb24YAiABKAkSNwoUc3VwcG9ydGVkX2ludGVyZmFjZXMYAyADKAsyGS5sZi5hMmEudjEuQWdlbnRJbnRlcmZhY2USKgoIcHJvdmlkZXIYBCABKAsyGC5sZi5hMmEudjEuQWdlbnRQcm92aWRlchIPCgd2ZXJzaW9uGAUgASgJEh4KEWRvY3VtZW50YXRpb25fdXJsGAYgASgJSACIAQESMgoMY2FwYWJpbGl0aWVzGAcgASgLMhwubGYuYTJhLnYxLkFnZW50Q2FwYWJpbGl0aWVzEkMKEHNlY3VyaXR5X3NjaGVtZXMYCCADKAsyKS5sZi5hMmEudjEuQWdlbnRDYXJkLlNlY3VyaXR5U2NoZW1lc0VudHJ5Ej0KFXNlY3VyaXR5X3JlcXVpcmVtZW50cxgJIAMoCzIeLmxmLmEyYS52MS5TZWN1cml0eVJlcXVpcmVtZW50EhsKE2RlZmF1bHRfaW5wdXRfbW9kZXMYCiADKAkSHAoUZGVmYXVsdF9vdXRwdXRfbW9kZXMYCyADKAkSJQoGc2tpbGxzGAwgAygLMhUubGYuYTJhLnYxLkFnZW50U2tpbGwSMQoKc2lnbmF0dXJlcxgNIAMoCzIdLmxmLmEyYS52MS5BZ2VudENhcmRTaWduYXR1cmUSFQoIaWNvbl91cmwYDiABKAlIAYgBARpRChRTZWN1cml0eVNjaGVtZXNFbnRyeRILCgNrZXkYASABKAkSKAoFdmFsdWUYAiABKAsyGS5sZi5hMmEudjEuU2VjdXJpdHlTY2hlbWU6AjgBQhQKEl9kb2N1bWVudGF0aW9uX3VybEILCglfaWNvbl91cmwiMgoNQWdlbnRQcm92aWRlchILCgN1cmwYASABKAkSFAoMb3JnYW5pemF0aW9uGAIgASgJItoBChFBZ2VudENhcGFiaWxpdGllcxIWCglzdHJlYW1pbmcYASABKAhIAIgBARIfChJwdXNoX25vdGlmaWNhdGlvbnMYAiABKAhIAYgBARItCgpleHRlbnNpb25zGAMgAygLMhkubGYuYTJhLnYxLkFnZW50RXh0ZW5zaW9uEiAKE2V4dGVuZGVkX2FnZW50X2NhcmQYBCABKAhIAogBAUIMCgpfc3RyZWFtaW5nQhUKE19wdXNoX25vdGlmaWNhdGlvbnNCFgoUX2V4dGVuZGVkX2FnZW50X2NhcmQibQoOQWdlbnRFeHRlbnNpb24SCwoDdXJpGAEgASgJEhMKC2Rlc2NyaXB0aW9uGAIgASgJEhAKCHJlcXVpcmVkGAMgASgIEicKBnBhcmFtcxgEIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QixQEKCkFnZW50U2tpbGwSCgoCaWQYASABKAkSDAoEbmFtZRgCIAEoCRITCgtkZXNjcmlwdGlvbhgDIAEoCRIMCgR0YWdzGAQgAygJEhAKCGV4YW1wbGVzGAUgAygJEhMKC2lucHV0X21vZGVzGAYgAygJEhQKDG91dHB1dF9tb2RlcxgHIAMoCRI9ChVzZWN1cml0eV9yZXF1aXJlbWVudHMYCCADKAsyHi5sZi5hMmEudjEuU2VjdXJpdHlSZXF1aXJlbWVudCJjChJBZ2VudENhcmRTaWduYXR1cmUSEQoJcHJvdGVjdGVkGAEgASgJEhEKCXNpZ25hdHVyZRgCIAEoCRInCgZoZWFkZXIYAyABKAsyFy5nb29nbGUucHJvdG9idWYuU3RydWN0IpwBChpUYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZxIOCgZ0ZW5hbnQYASABKAkSCgoCaWQYAiABKAkSDwoHdGFza19pZBgDIAEoCRILCgN1cmwYBCABKAkSDQoFdG9rZW4YBSABKAkSNQoOYXV0aGVudGljYXRpb24YBiABKAsyHS5sZi5hMmEudjEuQXV0aGVudGljYXRpb25JbmZvIhoKClN0cmluZ0xpc3QSDAoEbGlzdBgBIAMoCSKaAQoTU2VjdXJpdHlSZXF1aXJlbWVudBI8CgdzY2hlbWVzGAEgAygLMisubGYuYTJhLnYxLlNlY3VyaXR5UmVxdWlyZW1lbnQuU2NoZW1lc0VudHJ5GkUKDFNjaGVtZXNFbnRyeRILCgNrZXkYASABKAkSJAoFdmFsdWUYAiABKAsyFS5sZi5hMmEudjEuU3RyaW5nTGlzdDoCOAEigAMKDlNlY3VyaXR5U2NoZW1lEkIKF2FwaV9rZXlfc2VjdXJpdHlfc2NoZW1lGAEgASgLMh8ubGYuYTJhLnYxLkFQSUtleVNlY3VyaXR5U2NoZW1lSAASRgoZaHR0cF9hdXRoX3NlY3VyaXR5X3NjaGVtZRgCIAEoCzIhLmxmLmEyYS52MS5IVFRQQXV0aFNlY3VyaXR5U2NoZW1lSAASQQoWb2F1dGgyX3NlY3VyaXR5X3NjaGVtZRgDIAEoCzIfLmxmLmEyYS52MS5PQXV0aDJTZWN1cml0eVNjaGVtZUgAElEKH29wZW5faWRfY29ubmVjdF9zZWN1cml0eV9zY2hlbWUYBCABKAsyJi5sZi5hMmEudjEuT3BlbklkQ29ubmVjdFNlY3VyaXR5U2NoZW1lSAASQgoUbXRsc19zZWN1cml0eV9zY2hlbWUYBSABKAsyIi5sZi5hMmEudjEuTXV0dWFsVGxzU2VjdXJpdHlTY2hlbWVIAEIICgZzY2hlbWUiSwoUQVBJS2V5U2VjdXJpdHlTY2hlbWUSEwoLZGVzY3JpcHRpb24YASABKAkSEAoIbG9jYXRpb24YAiABKAkSDAoEbmFtZRgDIAEoCSJUChZIVFRQQXV0aFNlY3VyaXR5U2NoZW1lEhMKC2Rlc2NyaXB0aW9uGAEgASgJEg4KBnNjaGVtZRgCIAEoCRIVCg1iZWFyZXJfZm9ybWF0GAMgASgJIm4KFE9BdXRoMlNlY3VyaXR5U2NoZW1lEhMKC2Rlc2NyaXB0aW9uGAEgASgJEiQKBWZsb3dzGAIgASgLMhUubGYuYTJhLnYxLk9BdXRoRmxvd3MSGwoTb2F1dGgyX21ldGFkYXRhX3VybBgDIAEoCSJPChtPcGVuSWRDb25uZWN0U2VjdXJpdHlTY2hlbWUSEwoLZGVzY3JpcHRpb24YASABKAkSGwoTb3Blbl9pZF9jb25uZWN0X3VybBgCIAEoCSIuChdNdXR1YWxUbHNTZWN1cml0eVNjaGVtZRITCgtkZXNjcmlwdGlvbhgBIAEoCSK5AgoKT0F1dGhGbG93cxJDChJhdXRob3JpemF0aW9uX2NvZGUYASABKAsyJS5sZi5hMmEudjEuQXV0aG9yaXphdGlvbkNvZGVPQXV0aEZsb3dIABJDChJjbGllbnRfY3JlZGVudGlhbHMYAiABKAsyJS5sZi5hMmEudjEuQ2xpZW50Q3JlZGVudGlhbHNPQXV0aEZsb3dIABIwCghpbXBsaWNpdBgDIAEoCzIcLmxmLmEyYS52MS5JbXBsaWNpdE9BdXRoRmxvd0gAEjAKCHBhc3N3b3JkGAQgASgLMhwubGYuYTJhLnYxLlBhc3N3b3JkT0F1dGhGbG93SAASNQoLZGV2aWNlX2NvZGUYBSABKAsyHi5sZi5hMmEudjEuRGV2aWNlQ29kZU9BdXRoRmxvd0gAQgYKBGZsb3ci6AEKGkF1dGhvcml6YXRpb25Db2RlT0F1dGhGbG93EhkKEWF1dGhvcml6YXRpb25fdXJsGAEgASgJEhEKCXRva2VuX3VybBgCIAEoCRITCgtyZWZyZXNoX3VybBgDIAEoCRJBCgZzY29wZXMYBCADKAsyMS5sZi5hMmEudjEuQXV0aG9yaXphdGlvbkNvZGVPQXV0aEZsb3cuU2NvcGVzRW50cnkSFQoNcGtjZV9yZXF1aXJlZBgFIAEoCBotCgtTY29wZXNFbnRyeRILCgNrZXkYASABKAkSDQoFdmFsdWUYAiABKAk6AjgBIrYBChpDbGllbnRDcmVkZW50aWFsc09BdXRoRmxvdxIRCgl0b2tlbl91cmwYASABKAkSEwoLcmVmcmVzaF91cmwYAiABKAkSQQoGc2NvcGVzGAMgAygLMjEubGYuYTJhLnYxLkNsaWVudENyZWRlbnRpYWxzT0F1dGhGbG93LlNjb3Blc0VudHJ5Gi0KC1Njb3Blc0VudHJ5EgsKA2tleRgBIAEoCRINCgV2YWx1ZRgCIAEoCToCOAEirAEKEUltcGxpY2l0T0F1dGhGbG93EhkKEWF1dGhvcml6YXRpb25fdXJsGAEgASgJEhMKC3JlZnJlc2hfdXJsGAIgASgJEjgKBnNjb3BlcxgDIAMoCzIoLmxmLmEyYS52MS5JbXBsaWNpdE9BdXRoRmxvdy5TY29wZXNFbnRyeRotCgtTY29wZXNFbnRyeRILCgNrZXkYASABKAkSDQoFdmFsdWUYAiABKAk6AjgBIqQBChFQYXNzd29yZE9BdXRoRmxvdxIRCgl0b2tlbl91cmwYASABKAkSEwoLcmVmcmVzaF91cmwYAiABKAkSOAoGc2NvcGVzGAMgAygLMigubGYuYTJhLnYxLlBhc3N3b3JkT0F1dGhGbG93LlNjb3Blc0VudHJ5Gi0KC1Njb3Blc0VudHJ5EgsKA2tleRgBIAEoCRINCgV2YWx1ZRgCIAEoCToCOAEiygEKE0RldmljZUNvZGVPQXV0aEZsb3cSIAoYZGV2aWNlX2F1dGhvcml6YXRpb25fdXJsGAEgASgJEhEKCXRva2VuX3VybBgCIAEoCRITCgtyZWZyZXNoX3VybBgDIAEoCRI6CgZzY29wZXMYBCADKAsyKi5sZi5hMmEudjEuRGV2aWNlQ29kZU9BdXRoRmxvdy5TY29wZXNFbnRyeRotCgtTY29wZXNFbnRyeRILCgNrZXkYASABKAkSDQoFdmFsdWUYAiABKAk6AjgBIrABChJTZW5kTWVzc2FnZVJlcXVlc3QSDgoGdGVuYW50GAEgASgJEiMKB21lc3NhZ2UYAiABKAsyEi5sZi5hMmEudjEuTWVzc2FnZRI6Cg1jb25maWd1cmF0aW9uGAMgASgLMiMubGYuYTJhLnYxLlNlbmRNZXNzYWdlQ29uZmlndXJhdGlvbhIpCghtZXRhZGF0YRgEIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QiXAoOR2V0VGFza1JlcXVlc3QSDgoGdGVuYW50GAEgASgJEgoKAmlkGAIgASgJEhsKDmhpc3RvcnlfbGVuZ3RoGAMgASgFSACIAQFCEQoPX2hpc3RvcnlfbGVuZ3RoIrgCChBMaXN0VGFza3NSZXF1ZXN0Eg4KBnRlbmFudBgBIAEoCRISCgpjb250ZXh0X2lkGAIgASgJEiQKBnN0YXR1cxgDIAEoDjIULmxmLmEyYS52MS5UYXNrU3RhdGUSFgoJcGFnZV9zaXplGAQgASgFSACIAQESEgoKcGFnZV90b2tlbhgFIAEoCRIbCg5oaXN0b3J5X2xlbmd0aBgGIAEoBUgBiAEBEjoKFnN0YXR1c190aW1lc3RhbXBfYWZ0ZXIYByABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wEh4KEWluY2x1ZGVfYXJ0aWZhY3RzGAggASgISAKIAQFCDAoKX3BhZ2Vfc2l6ZUIRCg9faGlzdG9yeV9sZW5ndGhCFAoSX2luY2x1ZGVfYXJ0aWZhY3RzInMKEUxpc3RUYXNrc1Jlc3BvbnNlEh4KBXRhc2tzGAEgAygLMg8ubGYuYTJhLnYxLlRhc2sSFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJEhEKCXBhZ2Vfc2l6ZRgDIAEoBRISCgp0b3RhbF9zaXplGAQgASgFIloKEUNhbmNlbFRhc2tSZXF1ZXN0Eg4KBnRlbmFudBgBIAEoCRIKCgJpZBgCIAEoCRIpCghtZXRhZGF0YRgDIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QiUwokR2V0VGFza1B1c2hOb3RpZmljYXRpb25Db25maWdSZXF1ZXN0Eg4KBnRlbmFudBgBIAEoCRIPCgd0YXNrX2lkGAIgASgJEgoKAmlkGAMgASgJIlYKJ0RlbGV0ZVRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnUmVxdWVzdBIOCgZ0ZW5hbnQYASABKAkSDwoHdGFza19pZBgCIAEoCRIKCgJpZBgDIAEoCSI0ChZTdWJzY3JpYmVUb1Rhc2tSZXF1ZXN0Eg4KBnRlbmFudBgBIAEoCRIKCgJpZBgCIAEoCSJwCiZMaXN0VGFza1B1c2hOb3RpZmljYXRpb25Db25maWdzUmVxdWVzdBIPCgd0YXNrX2lkGAEgASgJEhEKCXBhZ2Vfc2l6ZRgCIAEoBRISCgpwYWdlX3Rva2VuGAMgASgJEg4KBnRlbmFudBgEIAEoCSItChtHZXRFeHRlbmRlZEFnZW50Q2FyZFJlcXVlc3QSDgoGdGVuYW50GAEgASgJImgKE1NlbmRNZXNzYWdlUmVzcG9uc2USHwoEdGFzaxgBIAEoCzIPLmxmLmEyYS52MS5UYXNrSAASJQoHbWVzc2FnZRgCIAEoCzISLmxmLmEyYS52MS5NZXNzYWdlSABCCQoHcGF5bG9hZCLdAQoOU3RyZWFtUmVzcG9uc2USHwoEdGFzaxgBIAEoCzIPLmxmLmEyYS52MS5UYXNrSAASJQoHbWVzc2FnZRgCIAEoCzISLmxmLmEyYS52MS5NZXNzYWdlSAASOQoNc3RhdHVzX3VwZGF0ZRgDIAEoCzIgLmxmLmEyYS52MS5UYXNrU3RhdHVzVXBkYXRlRXZlbnRIABI9Cg9hcnRpZmFjdF91cGRhdGUYBCABKAsyIi5sZi5hMmEudjEuVGFza0FydGlmYWN0VXBkYXRlRXZlbnRIAEIJCgdwYXlsb2FkInoKJ0xpc3RUYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZ3NSZXNwb25zZRI2Cgdjb25maWdzGAEgAygLMiUubGYuYTJhLnYxLlRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnEhcKD25leHRfcGFnZV90b2tlbhgCIAEoCSr5AQoJVGFza1N0YXRlEhoKFlRBU0tfU1RBVEVfVU5TUEVDSUZJRUQQABIYChRUQVNLX1NUQVRFX1NVQk1JVFRFRBABEhYKElRBU0tfU1RBVEVfV09SS0lORxACEhgKFFRBU0tfU1RBVEVfQ09NUExFVEVEEAMSFQoRVEFTS19TVEFURV9GQUlMRUQQBBIXChNUQVNLX1NUQVRFX0NBTkNFTEVEEAUSHQoZVEFTS19TVEFURV9JTlBVVF9SRVFVSVJFRBAGEhcKE1RBU0tfU1RBVEVfUkVKRUNURUQQBxIcChhUQVNLX1NUQVRFX0FVVEhfUkVRVUlSRUQQCCo7CgRSb2xlEhQKEFJPTEVfVU5TUEVDSUZJRUQQABINCglST0xFX1VTRVIQARIOCgpST0xFX0FHRU5UEAIy+QcKCkEyQVNlcnZpY2USTAoLU2VuZE1lc3NhZ2USHS5sZi5hMmEudjEuU2VuZE1lc3NhZ2VSZXF1ZXN0Gh4ubGYuYTJhLnYxLlNlbmRNZXNzYWdlUmVzcG9uc2USUgoUU2VuZFN0cmVhbWluZ01lc3NhZ2USHS5sZi5hMmEudjEuU2VuZE1lc3NhZ2VSZXF1ZXN0GhkubGYuYTJhLnYxLlN0cmVhbVJlc3BvbnNlMAESNQoHR2V0VGFzaxIZLmxmLmEyYS52MS5HZXRUYXNrUmVxdWVzdBoPLmxmLmEyYS52MS5UYXNrEkYKCUxpc3RUYXNrcxIbLmxmLmEyYS52MS5MaXN0VGFza3NSZXF1ZXN0GhwubGYuYTJhLnYxLkxpc3RUYXNrc1Jlc3BvbnNlEjsKCkNhbmNlbFRhc2sSHC5sZi5hMmEudjEuQ2FuY2VsVGFza1JlcXVlc3QaDy5sZi5hMmEudjEuVGFzaxJRCg9TdWJzY3JpYmVUb1Rhc2sSIS5sZi5hMmEudjEuU3Vic2NyaWJlVG9UYXNrUmVxdWVzdBoZLmxmLmEyYS52MS5TdHJlYW1SZXNwb25zZTABEnAKIENyZWF0ZVRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnEiUubGYuYTJhLnYxLlRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnGiUubGYuYTJhLnYxLlRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnEncKHUdldFRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnEi8ubGYuYTJhLnYxLkdldFRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnUmVxdWVzdBolLmxmLmEyYS52MS5UYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZxKIAQofTGlzdFRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlncxIxLmxmLmEyYS52MS5MaXN0VGFza1B1c2hOb3RpZmljYXRpb25Db25maWdzUmVxdWVzdBoyLmxmLmEyYS52MS5MaXN0VGFza1B1c2hOb3RpZmljYXRpb25Db25maWdzUmVzcG9uc2USVAoUR2V0RXh0ZW5kZWRBZ2VudENhcmQSJi5sZi5hMmEudjEuR2V0RXh0ZW5kZWRBZ2VudENhcmRSZXF1ZXN0GhQubGYuYTJhLnYxLkFnZW50Q2FyZBJuCiBEZWxldGVUYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZxIyLmxmLmEyYS52MS5EZWxldGVUYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZ1JlcXVlc3QaFi5nb29nbGUucHJvdG9idWYuRW1wdHlCRgoUY29tLmdvb2dsZS5sZi5hMmEudjFCA0EyQVABWhtnb29nbGUuZ29sYW5nLm9yZy9sZi9hMmEvdjGqAglMZi5BMmEuVjFiBnByb3RvMw", [file_google_protobuf_empty, file_google_protobuf_struct, file_google_protobuf_timestamp]);

/**
 * What the caller wants of the answer to a send.
 *
 * @generated from message lf.a2a.v1.SendMessageConfiguration
 */
export type SendMessageConfiguration = Message$1<"lf.a2a.v1.SendMessageConfiguration"> & {
  /**
   * Media types that the caller can take, such as text/plain.
   *
   * @generated from field: repeated string accepted_output_modes = 1;
   */
  acceptedOutputModes: string[];

  /**
   * Registered for the task before work on it begins.
   *
   * @generated from field: lf.a2a.v1.TaskPushNotificationConfig task_push_notification_config = 2;
   */
  taskPushNotificationConfig?: TaskPushNotificationConfig | undefined;

  /**
   * How many of the latest messages the returned task may carry; 0 means none.
   *
   * @generated from field: optional int32 history_length = 3;
   */
  historyLength?: number | undefined;

  /**
   * Answer at once instead of waiting for a terminal or interrupted state.
   *
   * @generated from field: bool return_immediately = 4;
   */
  returnImmediately: boolean;
};

/**
 * Describes the message lf.a2a.v1.SendMessageConfiguration.
 * Use `create(SendMessageConfigurationSchema)` to create a new message.
 */
export const SendMessageConfigurationSchema: GenMessage<SendMessageConfiguration> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 0);

/**
 * A unit of work that an agent has taken on, with its state and all it has produced.
 *
 * @generated from message lf.a2a.v1.Task
 */
export type Task = Message$1<"lf.a2a.v1.Task"> & {
  /**
   * Chosen by the server.
   *
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * Groups the tasks and messages of one conversation.
   *
   * @generated from field: string context_id = 2;
   */
  contextId: string;

  /**
   * The present status.
   *
   * @generated from field: lf.a2a.v1.TaskStatus status = 3;
   */
  status?: TaskStatus | undefined;

  /**
   * What the task has produced so far.
   *
   * @generated from field: repeated lf.a2a.v1.Artifact artifacts = 4;
   */
  artifacts: Artifact[];

  /**
   * The messages exchanged so far, oldest first.
   *
   * @generated from field: repeated lf.a2a.v1.Message history = 5;
   */
  history: Message[];

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 6;
   */
  metadata?: JsonObject | undefined;
};

/**
 * Describes the message lf.a2a.v1.Task.
 * Use `create(TaskSchema)` to create a new message.
 */
export const TaskSchema: GenMessage<Task> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 1);

/**
 * The state of a task at one moment.
 *
 * @generated from message lf.a2a.v1.TaskStatus
 */
export type TaskStatus = Message$1<"lf.a2a.v1.TaskStatus"> & {
  /**
   * @generated from field: lf.a2a.v1.TaskState state = 1;
   */
  state: TaskState;

  /**
   * What the agent has to say about this status.
   *
   * @generated from field: lf.a2a.v1.Message message = 2;
   */
  message?: Message | undefined;

  /**
   * When the status was set.
   *
   * @generated from field: google.protobuf.Timestamp timestamp = 3;
   */
  timestamp?: Timestamp | undefined;
};

/**
 * Describes the message lf.a2a.v1.TaskStatus.
 * Use `create(TaskStatusSchema)` to create a new message.
 */
export const TaskStatusSchema: GenMessage<TaskStatus> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 2);

/**
 * One piece of content: text, a file by value or by reference, or structured data.
 *
 * @generated from message lf.a2a.v1.Part
 */
export type Part = Message$1<"lf.a2a.v1.Part"> & {
  /**
   * @generated from oneof lf.a2a.v1.Part.content
   */
  content: {
    /**
     * Text.
     *
     * @generated from field: string text = 1;
     */
    value: string;
    case: "text";
  } | {
    /**
     * The bytes of a file.
     *
     * @generated from field: bytes raw = 2;
     */
    value: Uint8Array;
    case: "raw";
  } | {
    /**
     * Where a file can be fetched.
     *
     * @generated from field: string url = 3;
     */
    value: string;
    case: "url";
  } | {
    /**
     * Any JSON value, null included.
     *
     * @generated from field: google.protobuf.Value data = 4;
     */
    value: Value;
    case: "data";
  } | { case: undefined; value?: undefined };

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 5;
   */
  metadata?: JsonObject | undefined;

  /**
   * The name of the file.
   *
   * @generated from field: string filename = 6;
   */
  filename: string;

  /**
   * The media type of the content, such as image/png.
   *
   * @generated from field: string media_type = 7;
   */
  mediaType: string;
};

/**
 * Describes the message lf.a2a.v1.Part.
 * Use `create(PartSchema)` to create a new message.
 */
export const PartSchema: GenMessage<Part> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 3);

/**
 * One turn of the conversation between a client and an agent.
 *
 * @generated from message lf.a2a.v1.Message
 */
export type Message = Message$1<"lf.a2a.v1.Message"> & {
  /**
   * Chosen by the sender.
   *
   * @generated from field: string message_id = 1;
   */
  messageId: string;

  /**
   * Groups the tasks and messages of one conversation.
   *
   * @generated from field: string context_id = 2;
   */
  contextId: string;

  /**
   * The task that the message belongs to; absent when it begins a new one.
   *
   * @generated from field: string task_id = 3;
   */
  taskId: string;

  /**
   * Who speaks.
   *
   * @generated from field: lf.a2a.v1.Role role = 4;
   */
  role: Role;

  /**
   * What is said; at least one part.
   *
   * @generated from field: repeated lf.a2a.v1.Part parts = 5;
   */
  parts: Part[];

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 6;
   */
  metadata?: JsonObject | undefined;

  /**
   * URIs of the extensions that this message uses.
   *
   * @generated from field: repeated string extensions = 7;
   */
  extensions: string[];

  /**
   * Other tasks that give context.
   *
   * @generated from field: repeated string reference_task_ids = 8;
   */
  referenceTaskIds: string[];
};

/**
 * Describes the message lf.a2a.v1.Message.
 * Use `create(MessageSchema)` to create a new message.
 */
export const MessageSchema: GenMessage<Message> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 4);

/**
 * Something that a task has produced.
 *
 * @generated from message lf.a2a.v1.Artifact
 */
export type Artifact = Message$1<"lf.a2a.v1.Artifact"> & {
  /**
   * Unique within the task.
   *
   * @generated from field: string artifact_id = 1;
   */
  artifactId: string;

  /**
   * @generated from field: string name = 2;
   */
  name: string;

  /**
   * @generated from field: string description = 3;
   */
  description: string;

  /**
   * The content; at least one part.
   *
   * @generated from field: repeated lf.a2a.v1.Part parts = 4;
   */
  parts: Part[];

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 5;
   */
  metadata?: JsonObject | undefined;

  /**
   * URIs of the extensions that this artifact uses.
   *
   * @generated from field: repeated string extensions = 6;
   */
  extensions: string[];
};

/**
 * Describes the message lf.a2a.v1.Artifact.
 * Use `create(ArtifactSchema)` to create a new message.
 */
export const ArtifactSchema: GenMessage<Artifact> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 5);

/**
 * Tells the watchers of a task that its status has changed.
 *
 * @generated from message lf.a2a.v1.TaskStatusUpdateEvent
 */
export type TaskStatusUpdateEvent = Message$1<"lf.a2a.v1.TaskStatusUpdateEvent"> & {
  /**
   * @generated from field: string task_id = 1;
   */
  taskId: string;

  /**
   * Groups the tasks and messages of one conversation.
   *
   * @generated from field: string context_id = 2;
   */
  contextId: string;

  /**
   * @generated from field: lf.a2a.v1.TaskStatus status = 3;
   */
  status?: TaskStatus | undefined;

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 4;
   */
  metadata?: JsonObject | undefined;
};

/**
 * Describes the message lf.a2a.v1.TaskStatusUpdateEvent.
 * Use `create(TaskStatusUpdateEventSchema)` to create a new message.
 */
export const TaskStatusUpdateEventSchema: GenMessage<TaskStatusUpdateEvent> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 6);

/**
 * Tells the watchers of a task that an artifact, or a chunk of one, has arrived.
 *
 * @generated from message lf.a2a.v1.TaskArtifactUpdateEvent
 */
export type TaskArtifactUpdateEvent = Message$1<"lf.a2a.v1.TaskArtifactUpdateEvent"> & {
  /**
   * @generated from field: string task_id = 1;
   */
  taskId: string;

  /**
   * Groups the tasks and messages of one conversation.
   *
   * @generated from field: string context_id = 2;
   */
  contextId: string;

  /**
   * @generated from field: lf.a2a.v1.Artifact artifact = 3;
   */
  artifact?: Artifact | undefined;

  /**
   * The parts continue the artifact of the same id instead of replacing it.
   *
   * @generated from field: bool append = 4;
   */
  append: boolean;

  /**
   * Nothing more will be appended to this artifact.
   *
   * @generated from field: bool last_chunk = 5;
   */
  lastChunk: boolean;

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 6;
   */
  metadata?: JsonObject | undefined;
};

/**
 * Describes the message lf.a2a.v1.TaskArtifactUpdateEvent.
 * Use `create(TaskArtifactUpdateEventSchema)` to create a new message.
 */
export const TaskArtifactUpdateEventSchema: GenMessage<TaskArtifactUpdateEvent> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 7);

/**
 * How a webhook wants to be authenticated to.
 *
 * @generated from message lf.a2a.v1.AuthenticationInfo
 */
export type AuthenticationInfo = Message$1<"lf.a2a.v1.AuthenticationInfo"> & {
  /**
   * An HTTP authentication scheme, such as Bearer.
   *
   * @generated from field: string scheme = 1;
   */
  scheme: string;

  /**
   * What follows the scheme in the Authorization header.
   *
   * @generated from field: string credentials = 2;
   */
  credentials: string;
};

/**
 * Describes the message lf.a2a.v1.AuthenticationInfo.
 * Use `create(AuthenticationInfoSchema)` to create a new message.
 */
export const AuthenticationInfoSchema: GenMessage<AuthenticationInfo> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 8);

/**
 * One address of the agent, with the binding spoken there.
 *
 * @generated from message lf.a2a.v1.AgentInterface
 */
export type AgentInterface = Message$1<"lf.a2a.v1.AgentInterface"> & {
  /**
   * Absolute, for HTTP bindings with scheme.
   *
   * @generated from field: string url = 1;
   */
  url: string;

  /**
   * JSONRPC, GRPC, HTTP+JSON or the URI of another binding.
   *
   * @generated from field: string protocol_binding = 2;
   */
  protocolBinding: string;

  /**
   * To be copied into the tenant of every request sent there.
   *
   * @generated from field: string tenant = 3;
   */
  tenant: string;

  /**
   * Major and minor, such as 1.0.
   *
   * @generated from field: string protocol_version = 4;
   */
  protocolVersion: string;
};

/**
 * Describes the message lf.a2a.v1.AgentInterface.
 * Use `create(AgentInterfaceSchema)` to create a new message.
 */
export const AgentInterfaceSchema: GenMessage<AgentInterface> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 9);

/**
 * The agent's description of itself: who it is, what it can do, and how to reach it.
 *
 * @generated from message lf.a2a.v1.AgentCard
 */
export type AgentCard = Message$1<"lf.a2a.v1.AgentCard"> & {
  /**
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * @generated from field: string description = 2;
   */
  description: string;

  /**
   * Where the agent can be reached, the preferred address first.
   *
   * @generated from field: repeated lf.a2a.v1.AgentInterface supported_interfaces = 3;
   */
  supportedInterfaces: AgentInterface[];

  /**
   * @generated from field: lf.a2a.v1.AgentProvider provider = 4;
   */
  provider?: AgentProvider | undefined;

  /**
   * The version of the agent, not of the protocol.
   *
   * @generated from field: string version = 5;
   */
  version: string;

  /**
   * @generated from field: optional string documentation_url = 6;
   */
  documentationUrl?: string | undefined;

  /**
   * Optional features.
   *
   * @generated from field: lf.a2a.v1.AgentCapabilities capabilities = 7;
   */
  capabilities?: AgentCapabilities | undefined;

  /**
   * The ways of authenticating, by name.
   *
   * @generated from field: map<string, lf.a2a.v1.SecurityScheme> security_schemes = 8;
   */
  securitySchemes: { [key: string]: SecurityScheme };

  /**
   * Any one of these suffices.
   *
   * @generated from field: repeated lf.a2a.v1.SecurityRequirement security_requirements = 9;
   */
  securityRequirements: SecurityRequirement[];

  /**
   * Media types understood by all skills that do not name their own.
   *
   * @generated from field: repeated string default_input_modes = 10;
   */
  defaultInputModes: string[];

  /**
   * Media types produced by all skills that do not name their own.
   *
   * @generated from field: repeated string default_output_modes = 11;
   */
  defaultOutputModes: string[];

  /**
   * @generated from field: repeated lf.a2a.v1.AgentSkill skills = 12;
   */
  skills: AgentSkill[];

  /**
   * Signatures over the card without this field, canonicalised by RFC 8785.
   *
   * @generated from field: repeated lf.a2a.v1.AgentCardSignature signatures = 13;
   */
  signatures: AgentCardSignature[];

  /**
   * @generated from field: optional string icon_url = 14;
   */
  iconUrl?: string | undefined;
};

/**
 * Describes the message lf.a2a.v1.AgentCard.
 * Use `create(AgentCardSchema)` to create a new message.
 */
export const AgentCardSchema: GenMessage<AgentCard> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 10);

/**
 * The organisation behind the agent.
 *
 * @generated from message lf.a2a.v1.AgentProvider
 */
export type AgentProvider = Message$1<"lf.a2a.v1.AgentProvider"> & {
  /**
   * @generated from field: string url = 1;
   */
  url: string;

  /**
   * @generated from field: string organization = 2;
   */
  organization: string;
};

/**
 * Describes the message lf.a2a.v1.AgentProvider.
 * Use `create(AgentProviderSchema)` to create a new message.
 */
export const AgentProviderSchema: GenMessage<AgentProvider> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 11);

/**
 * The optional features that the agent has.
 *
 * @generated from message lf.a2a.v1.AgentCapabilities
 */
export type AgentCapabilities = Message$1<"lf.a2a.v1.AgentCapabilities"> & {
  /**
   * The agent streams.
   *
   * @generated from field: optional bool streaming = 1;
   */
  streaming?: boolean | undefined;

  /**
   * The agent calls webhooks.
   *
   * @generated from field: optional bool push_notifications = 2;
   */
  pushNotifications?: boolean | undefined;

  /**
   * Protocol extensions.
   *
   * @generated from field: repeated lf.a2a.v1.AgentExtension extensions = 3;
   */
  extensions: AgentExtension[];

  /**
   * Authenticated callers can get a fuller card.
   *
   * @generated from field: optional bool extended_agent_card = 4;
   */
  extendedAgentCard?: boolean | undefined;
};

/**
 * Describes the message lf.a2a.v1.AgentCapabilities.
 * Use `create(AgentCapabilitiesSchema)` to create a new message.
 */
export const AgentCapabilitiesSchema: GenMessage<AgentCapabilities> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 12);

/**
 * A protocol extension that the agent supports.
 *
 * @generated from message lf.a2a.v1.AgentExtension
 */
export type AgentExtension = Message$1<"lf.a2a.v1.AgentExtension"> & {
  /**
   * Identifies the extension.
   *
   * @generated from field: string uri = 1;
   */
  uri: string;

  /**
   * @generated from field: string description = 2;
   */
  description: string;

  /**
   * Callers must follow the extension.
   *
   * @generated from field: bool required = 3;
   */
  required: boolean;

  /**
   * Configuration, in the extension's own terms.
   *
   * @generated from field: google.protobuf.Struct params = 4;
   */
  params?: JsonObject | undefined;
};

/**
 * Describes the message lf.a2a.v1.AgentExtension.
 * Use `create(AgentExtensionSchema)` to create a new message.
 */
export const AgentExtensionSchema: GenMessage<AgentExtension> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 13);

/**
 * One thing that the agent is good at.
 *
 * @generated from message lf.a2a.v1.AgentSkill
 */
export type AgentSkill = Message$1<"lf.a2a.v1.AgentSkill"> & {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * @generated from field: string name = 2;
   */
  name: string;

  /**
   * @generated from field: string description = 3;
   */
  description: string;

  /**
   * Keywords.
   *
   * @generated from field: repeated string tags = 4;
   */
  tags: string[];

  /**
   * Prompts or scenarios that the skill can deal with.
   *
   * @generated from field: repeated string examples = 5;
   */
  examples: string[];

  /**
   * Media types understood, instead of the card's default.
   *
   * @generated from field: repeated string input_modes = 6;
   */
  inputModes: string[];

  /**
   * Media types produced, instead of the card's default.
   *
   * @generated from field: repeated string output_modes = 7;
   */
  outputModes: string[];

  /**
   * Any one of these suffices.
   *
   * @generated from field: repeated lf.a2a.v1.SecurityRequirement security_requirements = 8;
   */
  securityRequirements: SecurityRequirement[];
};

/**
 * Describes the message lf.a2a.v1.AgentSkill.
 * Use `create(AgentSkillSchema)` to create a new message.
 */
export const AgentSkillSchema: GenMessage<AgentSkill> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 14);

/**
 * A JSON Web Signature (RFC 7515) over the card.
 *
 * @generated from message lf.a2a.v1.AgentCardSignature
 */
export type AgentCardSignature = Message$1<"lf.a2a.v1.AgentCardSignature"> & {
  /**
   * The protected header, base64url.
   *
   * @generated from field: string protected = 1;
   */
  protected: string;

  /**
   * The signature, base64url.
   *
   * @generated from field: string signature = 2;
   */
  signature: string;

  /**
   * The unprotected header.
   *
   * @generated from field: google.protobuf.Struct header = 3;
   */
  header?: JsonObject | undefined;
};

/**
 * Describes the message lf.a2a.v1.AgentCardSignature.
 * Use `create(AgentCardSignatureSchema)` to create a new message.
 */
export const AgentCardSignatureSchema: GenMessage<AgentCardSignature> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 15);

/**
 * A push notification configuration, bound to its task.
 *
 * @generated from message lf.a2a.v1.TaskPushNotificationConfig
 */
export type TaskPushNotificationConfig = Message$1<"lf.a2a.v1.TaskPushNotificationConfig"> & {
  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 1;
   */
  tenant: string;

  /**
   * @generated from field: string id = 2;
   */
  id: string;

  /**
   * @generated from field: string task_id = 3;
   */
  taskId: string;

  /**
   * Where notifications are sent.
   *
   * @generated from field: string url = 4;
   */
  url: string;

  /**
   * Opaque to the server, which sends it along so that the receiver can tell its own.
   *
   * @generated from field: string token = 5;
   */
  token: string;

  /**
   * @generated from field: lf.a2a.v1.AuthenticationInfo authentication = 6;
   */
  authentication?: AuthenticationInfo | undefined;
};

/**
 * Describes the message lf.a2a.v1.TaskPushNotificationConfig.
 * Use `create(TaskPushNotificationConfigSchema)` to create a new message.
 */
export const TaskPushNotificationConfigSchema: GenMessage<TaskPushNotificationConfig> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 16);

/**
 * A list of strings, where a map needs one as a value.
 *
 * @generated from message lf.a2a.v1.StringList
 */
export type StringList = Message$1<"lf.a2a.v1.StringList"> & {
  /**
   * @generated from field: repeated string list = 1;
   */
  list: string[];
};

/**
 * Describes the message lf.a2a.v1.StringList.
 * Use `create(StringListSchema)` to create a new message.
 */
export const StringListSchema: GenMessage<StringList> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 17);

/**
 * The schemes that must be satisfied together, each with the scopes that it needs.
 *
 * @generated from message lf.a2a.v1.SecurityRequirement
 */
export type SecurityRequirement = Message$1<"lf.a2a.v1.SecurityRequirement"> & {
  /**
   * @generated from field: map<string, lf.a2a.v1.StringList> schemes = 1;
   */
  schemes: { [key: string]: StringList };
};

/**
 * Describes the message lf.a2a.v1.SecurityRequirement.
 * Use `create(SecurityRequirementSchema)` to create a new message.
 */
export const SecurityRequirementSchema: GenMessage<SecurityRequirement> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 18);

/**
 * One way of authenticating to the agent.
 *
 * @generated from message lf.a2a.v1.SecurityScheme
 */
export type SecurityScheme = Message$1<"lf.a2a.v1.SecurityScheme"> & {
  /**
   * @generated from oneof lf.a2a.v1.SecurityScheme.scheme
   */
  scheme: {
    /**
     * @generated from field: lf.a2a.v1.APIKeySecurityScheme api_key_security_scheme = 1;
     */
    value: APIKeySecurityScheme;
    case: "apiKeySecurityScheme";
  } | {
    /**
     * @generated from field: lf.a2a.v1.HTTPAuthSecurityScheme http_auth_security_scheme = 2;
     */
    value: HTTPAuthSecurityScheme;
    case: "httpAuthSecurityScheme";
  } | {
    /**
     * @generated from field: lf.a2a.v1.OAuth2SecurityScheme oauth2_security_scheme = 3;
     */
    value: OAuth2SecurityScheme;
    case: "oauth2SecurityScheme";
  } | {
    /**
     * @generated from field: lf.a2a.v1.OpenIdConnectSecurityScheme open_id_connect_security_scheme = 4;
     */
    value: OpenIdConnectSecurityScheme;
    case: "openIdConnectSecurityScheme";
  } | {
    /**
     * @generated from field: lf.a2a.v1.MutualTlsSecurityScheme mtls_security_scheme = 5;
     */
    value: MutualTlsSecurityScheme;
    case: "mtlsSecurityScheme";
  } | { case: undefined; value?: undefined };
};

/**
 * Describes the message lf.a2a.v1.SecurityScheme.
 * Use `create(SecuritySchemeSchema)` to create a new message.
 */
export const SecuritySchemeSchema: GenMessage<SecurityScheme> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 19);

/**
 * An API key in a header, a query parameter or a cookie.
 *
 * @generated from message lf.a2a.v1.APIKeySecurityScheme
 */
export type APIKeySecurityScheme = Message$1<"lf.a2a.v1.APIKeySecurityScheme"> & {
  /**
   * @generated from field: string description = 1;
   */
  description: string;

  /**
   * query, header or cookie.
   *
   * @generated from field: string location = 2;
   */
  location: string;

  /**
   * The name of the header, query parameter or cookie.
   *
   * @generated from field: string name = 3;
   */
  name: string;
};

/**
 * Describes the message lf.a2a.v1.APIKeySecurityScheme.
 * Use `create(APIKeySecuritySchemeSchema)` to create a new message.
 */
export const APIKeySecuritySchemeSchema: GenMessage<APIKeySecurityScheme> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 20);

/**
 * An HTTP authentication scheme, such as Bearer or Basic.
 *
 * @generated from message lf.a2a.v1.HTTPAuthSecurityScheme
 */
export type HTTPAuthSecurityScheme = Message$1<"lf.a2a.v1.HTTPAuthSecurityScheme"> & {
  /**
   * @generated from field: string description = 1;
   */
  description: string;

  /**
   * As in the Authorization header, such as Bearer.
   *
   * @generated from field: string scheme = 2;
   */
  scheme: string;

  /**
   * A hint at the token's format, such as JWT.
   *
   * @generated from field: string bearer_format = 3;
   */
  bearerFormat: string;
};

/**
 * Describes the message lf.a2a.v1.HTTPAuthSecurityScheme.
 * Use `create(HTTPAuthSecuritySchemeSchema)` to create a new message.
 */
export const HTTPAuthSecuritySchemeSchema: GenMessage<HTTPAuthSecurityScheme> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 21);

/**
 * OAuth 2.0.
 *
 * @generated from message lf.a2a.v1.OAuth2SecurityScheme
 */
export type OAuth2SecurityScheme = Message$1<"lf.a2a.v1.OAuth2SecurityScheme"> & {
  /**
   * @generated from field: string description = 1;
   */
  description: string;

  /**
   * @generated from field: lf.a2a.v1.OAuthFlows flows = 2;
   */
  flows?: OAuthFlows | undefined;

  /**
   * Where the authorization server's metadata (RFC 8414) is.
   *
   * @generated from field: string oauth2_metadata_url = 3;
   */
  oauth2MetadataUrl: string;
};

/**
 * Describes the message lf.a2a.v1.OAuth2SecurityScheme.
 * Use `create(OAuth2SecuritySchemeSchema)` to create a new message.
 */
export const OAuth2SecuritySchemeSchema: GenMessage<OAuth2SecurityScheme> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 22);

/**
 * OpenID Connect.
 *
 * @generated from message lf.a2a.v1.OpenIdConnectSecurityScheme
 */
export type OpenIdConnectSecurityScheme = Message$1<"lf.a2a.v1.OpenIdConnectSecurityScheme"> & {
  /**
   * @generated from field: string description = 1;
   */
  description: string;

  /**
   * The discovery document.
   *
   * @generated from field: string open_id_connect_url = 2;
   */
  openIdConnectUrl: string;
};

/**
 * Describes the message lf.a2a.v1.OpenIdConnectSecurityScheme.
 * Use `create(OpenIdConnectSecuritySchemeSchema)` to create a new message.
 */
export const OpenIdConnectSecuritySchemeSchema: GenMessage<OpenIdConnectSecurityScheme> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 23);

/**
 * TLS with a client certificate.
 *
 * @generated from message lf.a2a.v1.MutualTlsSecurityScheme
 */
export type MutualTlsSecurityScheme = Message$1<"lf.a2a.v1.MutualTlsSecurityScheme"> & {
  /**
   * @generated from field: string description = 1;
   */
  description: string;
};

/**
 * Describes the message lf.a2a.v1.MutualTlsSecurityScheme.
 * Use `create(MutualTlsSecuritySchemeSchema)` to create a new message.
 */
export const MutualTlsSecuritySchemeSchema: GenMessage<MutualTlsSecurityScheme> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 24);

/**
 * The OAuth 2.0 flow that the agent accepts.
 *
 * @generated from message lf.a2a.v1.OAuthFlows
 */
export type OAuthFlows = Message$1<"lf.a2a.v1.OAuthFlows"> & {
  /**
   * @generated from oneof lf.a2a.v1.OAuthFlows.flow
   */
  flow: {
    /**
     * @generated from field: lf.a2a.v1.AuthorizationCodeOAuthFlow authorization_code = 1;
     */
    value: AuthorizationCodeOAuthFlow;
    case: "authorizationCode";
  } | {
    /**
     * @generated from field: lf.a2a.v1.ClientCredentialsOAuthFlow client_credentials = 2;
     */
    value: ClientCredentialsOAuthFlow;
    case: "clientCredentials";
  } | {
    /**
     * @generated from field: lf.a2a.v1.ImplicitOAuthFlow implicit = 3;
     */
    value: ImplicitOAuthFlow;
    case: "implicit";
  } | {
    /**
     * @generated from field: lf.a2a.v1.PasswordOAuthFlow password = 4;
     */
    value: PasswordOAuthFlow;
    case: "password";
  } | {
    /**
     * @generated from field: lf.a2a.v1.DeviceCodeOAuthFlow device_code = 5;
     */
    value: DeviceCodeOAuthFlow;
    case: "deviceCode";
  } | { case: undefined; value?: undefined };
};

/**
 * Describes the message lf.a2a.v1.OAuthFlows.
 * Use `create(OAuthFlowsSchema)` to create a new message.
 */
export const OAuthFlowsSchema: GenMessage<OAuthFlows> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 25);

/**
 * The authorization code grant.
 *
 * @generated from message lf.a2a.v1.AuthorizationCodeOAuthFlow
 */
export type AuthorizationCodeOAuthFlow = Message$1<"lf.a2a.v1.AuthorizationCodeOAuthFlow"> & {
  /**
   * The authorization endpoint.
   *
   * @generated from field: string authorization_url = 1;
   */
  authorizationUrl: string;

  /**
   * The token endpoint.
   *
   * @generated from field: string token_url = 2;
   */
  tokenUrl: string;

  /**
   * The endpoint for refreshing tokens.
   *
   * @generated from field: string refresh_url = 3;
   */
  refreshUrl: string;

  /**
   * Scopes that can be asked for, with a description of each.
   *
   * @generated from field: map<string, string> scopes = 4;
   */
  scopes: { [key: string]: string };

  /**
   * Proof Key for Code Exchange (RFC 7636) is mandatory.
   *
   * @generated from field: bool pkce_required = 5;
   */
  pkceRequired: boolean;
};

/**
 * Describes the message lf.a2a.v1.AuthorizationCodeOAuthFlow.
 * Use `create(AuthorizationCodeOAuthFlowSchema)` to create a new message.
 */
export const AuthorizationCodeOAuthFlowSchema: GenMessage<AuthorizationCodeOAuthFlow> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 26);

/**
 * The client credentials grant.
 *
 * @generated from message lf.a2a.v1.ClientCredentialsOAuthFlow
 */
export type ClientCredentialsOAuthFlow = Message$1<"lf.a2a.v1.ClientCredentialsOAuthFlow"> & {
  /**
   * The token endpoint.
   *
   * @generated from field: string token_url = 1;
   */
  tokenUrl: string;

  /**
   * The endpoint for refreshing tokens.
   *
   * @generated from field: string refresh_url = 2;
   */
  refreshUrl: string;

  /**
   * Scopes that can be asked for, with a description of each.
   *
   * @generated from field: map<string, string> scopes = 3;
   */
  scopes: { [key: string]: string };
};

/**
 * Describes the message lf.a2a.v1.ClientCredentialsOAuthFlow.
 * Use `create(ClientCredentialsOAuthFlowSchema)` to create a new message.
 */
export const ClientCredentialsOAuthFlowSchema: GenMessage<ClientCredentialsOAuthFlow> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 27);

/**
 * The implicit grant, which is deprecated.
 *
 * @generated from message lf.a2a.v1.ImplicitOAuthFlow
 */
export type ImplicitOAuthFlow = Message$1<"lf.a2a.v1.ImplicitOAuthFlow"> & {
  /**
   * The authorization endpoint.
   *
   * @generated from field: string authorization_url = 1;
   */
  authorizationUrl: string;

  /**
   * The endpoint for refreshing tokens.
   *
   * @generated from field: string refresh_url = 2;
   */
  refreshUrl: string;

  /**
   * Scopes that can be asked for, with a description of each.
   *
   * @generated from field: map<string, string> scopes = 3;
   */
  scopes: { [key: string]: string };
};

/**
 * Describes the message lf.a2a.v1.ImplicitOAuthFlow.
 * Use `create(ImplicitOAuthFlowSchema)` to create a new message.
 */
export const ImplicitOAuthFlowSchema: GenMessage<ImplicitOAuthFlow> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 28);

/**
 * The resource owner password grant, which is deprecated.
 *
 * @generated from message lf.a2a.v1.PasswordOAuthFlow
 */
export type PasswordOAuthFlow = Message$1<"lf.a2a.v1.PasswordOAuthFlow"> & {
  /**
   * The token endpoint.
   *
   * @generated from field: string token_url = 1;
   */
  tokenUrl: string;

  /**
   * The endpoint for refreshing tokens.
   *
   * @generated from field: string refresh_url = 2;
   */
  refreshUrl: string;

  /**
   * Scopes that can be asked for, with a description of each.
   *
   * @generated from field: map<string, string> scopes = 3;
   */
  scopes: { [key: string]: string };
};

/**
 * Describes the message lf.a2a.v1.PasswordOAuthFlow.
 * Use `create(PasswordOAuthFlowSchema)` to create a new message.
 */
export const PasswordOAuthFlowSchema: GenMessage<PasswordOAuthFlow> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 29);

/**
 * The device authorization grant (RFC 8628).
 *
 * @generated from message lf.a2a.v1.DeviceCodeOAuthFlow
 */
export type DeviceCodeOAuthFlow = Message$1<"lf.a2a.v1.DeviceCodeOAuthFlow"> & {
  /**
   * The device authorization endpoint.
   *
   * @generated from field: string device_authorization_url = 1;
   */
  deviceAuthorizationUrl: string;

  /**
   * The token endpoint.
   *
   * @generated from field: string token_url = 2;
   */
  tokenUrl: string;

  /**
   * The endpoint for refreshing tokens.
   *
   * @generated from field: string refresh_url = 3;
   */
  refreshUrl: string;

  /**
   * Scopes that can be asked for, with a description of each.
   *
   * @generated from field: map<string, string> scopes = 4;
   */
  scopes: { [key: string]: string };
};

/**
 * Describes the message lf.a2a.v1.DeviceCodeOAuthFlow.
 * Use `create(DeviceCodeOAuthFlowSchema)` to create a new message.
 */
export const DeviceCodeOAuthFlowSchema: GenMessage<DeviceCodeOAuthFlow> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 30);

/**
 * A message for the agent.
 *
 * @generated from message lf.a2a.v1.SendMessageRequest
 */
export type SendMessageRequest = Message$1<"lf.a2a.v1.SendMessageRequest"> & {
  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 1;
   */
  tenant: string;

  /**
   * What to say to the agent.
   *
   * @generated from field: lf.a2a.v1.Message message = 2;
   */
  message?: Message | undefined;

  /**
   * @generated from field: lf.a2a.v1.SendMessageConfiguration configuration = 3;
   */
  configuration?: SendMessageConfiguration | undefined;

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 4;
   */
  metadata?: JsonObject | undefined;
};

/**
 * Describes the message lf.a2a.v1.SendMessageRequest.
 * Use `create(SendMessageRequestSchema)` to create a new message.
 */
export const SendMessageRequestSchema: GenMessage<SendMessageRequest> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 31);

/**
 * Asks for one task.
 *
 * @generated from message lf.a2a.v1.GetTaskRequest
 */
export type GetTaskRequest = Message$1<"lf.a2a.v1.GetTaskRequest"> & {
  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 1;
   */
  tenant: string;

  /**
   * @generated from field: string id = 2;
   */
  id: string;

  /**
   * How many of the latest messages the returned task may carry; 0 means none.
   *
   * @generated from field: optional int32 history_length = 3;
   */
  historyLength?: number | undefined;
};

/**
 * Describes the message lf.a2a.v1.GetTaskRequest.
 * Use `create(GetTaskRequestSchema)` to create a new message.
 */
export const GetTaskRequestSchema: GenMessage<GetTaskRequest> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 32);

/**
 * Asks for the tasks that match all of the given filters, newest status first.
 *
 * @generated from message lf.a2a.v1.ListTasksRequest
 */
export type ListTasksRequest = Message$1<"lf.a2a.v1.ListTasksRequest"> & {
  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 1;
   */
  tenant: string;

  /**
   * Only tasks of this context.
   *
   * @generated from field: string context_id = 2;
   */
  contextId: string;

  /**
   * Only tasks in this state.
   *
   * @generated from field: lf.a2a.v1.TaskState status = 3;
   */
  status: TaskState;

  /**
   * The most tasks that one page may hold, 1 to 100; 50 when absent.
   *
   * @generated from field: optional int32 page_size = 4;
   */
  pageSize?: number | undefined;

  /**
   * The next_page_token of the page before.
   *
   * @generated from field: string page_token = 5;
   */
  pageToken: string;

  /**
   * How many of the latest messages each returned task may carry; 0 means none.
   *
   * @generated from field: optional int32 history_length = 6;
   */
  historyLength?: number | undefined;

  /**
   * Only tasks whose status was set at this time or later.
   *
   * @generated from field: google.protobuf.Timestamp status_timestamp_after = 7;
   */
  statusTimestampAfter?: Timestamp | undefined;

  /**
   * Return artifacts too; left out otherwise.
   *
   * @generated from field: optional bool include_artifacts = 8;
   */
  includeArtifacts?: boolean | undefined;
};

/**
 * Describes the message lf.a2a.v1.ListTasksRequest.
 * Use `create(ListTasksRequestSchema)` to create a new message.
 */
export const ListTasksRequestSchema: GenMessage<ListTasksRequest> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 33);

/**
 * One page of tasks.
 *
 * @generated from message lf.a2a.v1.ListTasksResponse
 */
export type ListTasksResponse = Message$1<"lf.a2a.v1.ListTasksResponse"> & {
  /**
   * @generated from field: repeated lf.a2a.v1.Task tasks = 1;
   */
  tasks: Task[];

  /**
   * Asks for the next page; empty on the last one.
   *
   * @generated from field: string next_page_token = 2;
   */
  nextPageToken: string;

  /**
   * How large this page could have been.
   *
   * @generated from field: int32 page_size = 3;
   */
  pageSize: number;

  /**
   * How many tasks match in all.
   *
   * @generated from field: int32 total_size = 4;
   */
  totalSize: number;
};

/**
 * Describes the message lf.a2a.v1.ListTasksResponse.
 * Use `create(ListTasksResponseSchema)` to create a new message.
 */
export const ListTasksResponseSchema: GenMessage<ListTasksResponse> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 34);

/**
 * Asks the agent to stop working on a task.
 *
 * @generated from message lf.a2a.v1.CancelTaskRequest
 */
export type CancelTaskRequest = Message$1<"lf.a2a.v1.CancelTaskRequest"> & {
  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 1;
   */
  tenant: string;

  /**
   * @generated from field: string id = 2;
   */
  id: string;

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 3;
   */
  metadata?: JsonObject | undefined;
};

/**
 * Describes the message lf.a2a.v1.CancelTaskRequest.
 * Use `create(CancelTaskRequestSchema)` to create a new message.
 */
export const CancelTaskRequestSchema: GenMessage<CancelTaskRequest> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 35);

/**
 * Asks for one push notification configuration.
 *
 * @generated from message lf.a2a.v1.GetTaskPushNotificationConfigRequest
 */
export type GetTaskPushNotificationConfigRequest = Message$1<"lf.a2a.v1.GetTaskPushNotificationConfigRequest"> & {
  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 1;
   */
  tenant: string;

  /**
   * @generated from field: string task_id = 2;
   */
  taskId: string;

  /**
   * @generated from field: string id = 3;
   */
  id: string;
};

/**
 * Describes the message lf.a2a.v1.GetTaskPushNotificationConfigRequest.
 * Use `create(GetTaskPushNotificationConfigRequestSchema)` to create a new message.
 */
export const GetTaskPushNotificationConfigRequestSchema: GenMessage<GetTaskPushNotificationConfigRequest> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 36);

/**
 * Removes a push notification configuration.
 *
 * @generated from message lf.a2a.v1.DeleteTaskPushNotificationConfigRequest
 */
export type DeleteTaskPushNotificationConfigRequest = Message$1<"lf.a2a.v1.DeleteTaskPushNotificationConfigRequest"> & {
  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 1;
   */
  tenant: string;

  /**
   * @generated from field: string task_id = 2;
   */
  taskId: string;

  /**
   * @generated from field: string id = 3;
   */
  id: string;
};

/**
 * Describes the message lf.a2a.v1.DeleteTaskPushNotificationConfigRequest.
 * Use `create(DeleteTaskPushNotificationConfigRequestSchema)` to create a new message.
 */
export const DeleteTaskPushNotificationConfigRequestSchema: GenMessage<DeleteTaskPushNotificationConfigRequest> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 37);

/**
 * Asks for the events of a task that is under way.
 *
 * @generated from message lf.a2a.v1.SubscribeToTaskRequest
 */
export type SubscribeToTaskRequest = Message$1<"lf.a2a.v1.SubscribeToTaskRequest"> & {
  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 1;
   */
  tenant: string;

  /**
   * @generated from field: string id = 2;
   */
  id: string;
};

/**
 * Describes the message lf.a2a.v1.SubscribeToTaskRequest.
 * Use `create(SubscribeToTaskRequestSchema)` to create a new message.
 */
export const SubscribeToTaskRequestSchema: GenMessage<SubscribeToTaskRequest> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 38);

/**
 * Asks for the push notification configurations of one task.
 *
 * @generated from message lf.a2a.v1.ListTaskPushNotificationConfigsRequest
 */
export type ListTaskPushNotificationConfigsRequest = Message$1<"lf.a2a.v1.ListTaskPushNotificationConfigsRequest"> & {
  /**
   * @generated from field: string task_id = 1;
   */
  taskId: string;

  /**
   * The most that one page may hold.
   *
   * @generated from field: int32 page_size = 2;
   */
  pageSize: number;

  /**
   * The next_page_token of the page before.
   *
   * @generated from field: string page_token = 3;
   */
  pageToken: string;

  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 4;
   */
  tenant: string;
};

/**
 * Describes the message lf.a2a.v1.ListTaskPushNotificationConfigsRequest.
 * Use `create(ListTaskPushNotificationConfigsRequestSchema)` to create a new message.
 */
export const ListTaskPushNotificationConfigsRequestSchema: GenMessage<ListTaskPushNotificationConfigsRequest> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 39);

/**
 * Asks for the card that only authenticated callers see.
 *
 * @generated from message lf.a2a.v1.GetExtendedAgentCardRequest
 */
export type GetExtendedAgentCardRequest = Message$1<"lf.a2a.v1.GetExtendedAgentCardRequest"> & {
  /**
   * Which tenant of the agent is meant; in HTTP the first segment of the path.
   *
   * @generated from field: string tenant = 1;
   */
  tenant: string;
};

/**
 * Describes the message lf.a2a.v1.GetExtendedAgentCardRequest.
 * Use `create(GetExtendedAgentCardRequestSchema)` to create a new message.
 */
export const GetExtendedAgentCardRequestSchema: GenMessage<GetExtendedAgentCardRequest> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 40);

/**
 * The answer to a send: a task, or a message where no task was needed.
 *
 * @generated from message lf.a2a.v1.SendMessageResponse
 */
export type SendMessageResponse = Message$1<"lf.a2a.v1.SendMessageResponse"> & {
  /**
   * @generated from oneof lf.a2a.v1.SendMessageResponse.payload
   */
  payload: {
    /**
     * @generated from field: lf.a2a.v1.Task task = 1;
     */
    value: Task;
    case: "task";
  } | {
    /**
     * @generated from field: lf.a2a.v1.Message message = 2;
     */
    value: Message;
    case: "message";
  } | { case: undefined; value?: undefined };
};

/**
 * Describes the message lf.a2a.v1.SendMessageResponse.
 * Use `create(SendMessageResponseSchema)` to create a new message.
 */
export const SendMessageResponseSchema: GenMessage<SendMessageResponse> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 41);

/**
 * One event of a stream.
 *
 * @generated from message lf.a2a.v1.StreamResponse
 */
export type StreamResponse = Message$1<"lf.a2a.v1.StreamResponse"> & {
  /**
   * @generated from oneof lf.a2a.v1.StreamResponse.payload
   */
  payload: {
    /**
     * @generated from field: lf.a2a.v1.Task task = 1;
     */
    value: Task;
    case: "task";
  } | {
    /**
     * @generated from field: lf.a2a.v1.Message message = 2;
     */
    value: Message;
    case: "message";
  } | {
    /**
     * @generated from field: lf.a2a.v1.TaskStatusUpdateEvent status_update = 3;
     */
    value: TaskStatusUpdateEvent;
    case: "statusUpdate";
  } | {
    /**
     * @generated from field: lf.a2a.v1.TaskArtifactUpdateEvent artifact_update = 4;
     */
    value: TaskArtifactUpdateEvent;
    case: "artifactUpdate";
  } | { case: undefined; value?: undefined };
};

/**
 * Describes the message lf.a2a.v1.StreamResponse.
 * Use `create(StreamResponseSchema)` to create a new message.
 */
export const StreamResponseSchema: GenMessage<StreamResponse> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 42);

/**
 * One page of push notification configurations.
 *
 * @generated from message lf.a2a.v1.ListTaskPushNotificationConfigsResponse
 */
export type ListTaskPushNotificationConfigsResponse = Message$1<"lf.a2a.v1.ListTaskPushNotificationConfigsResponse"> & {
  /**
   * @generated from field: repeated lf.a2a.v1.TaskPushNotificationConfig configs = 1;
   */
  configs: TaskPushNotificationConfig[];

  /**
   * Asks for the next page; empty on the last one.
   *
   * @generated from field: string next_page_token = 2;
   */
  nextPageToken: string;
};

/**
 * Describes the message lf.a2a.v1.ListTaskPushNotificationConfigsResponse.
 * Use `create(ListTaskPushNotificationConfigsResponseSchema)` to create a new message.
 */
export const ListTaskPushNotificationConfigsResponseSchema: GenMessage<ListTaskPushNotificationConfigsResponse> = /*@__PURE__*/
  messageDesc(file_lf_a2a_v1_a2a, 43);

/**
 * Where a task is in its life. COMPLETED, FAILED, CANCELED and REJECTED are final; INPUT_REQUIRED and AUTH_REQUIRED
 * wait for the caller.
 *
 * @generated from enum lf.a2a.v1.TaskState
 */
export const TaskState = {
  /**
   * Unknown.
   *
   * @generated from enum value: TASK_STATE_UNSPECIFIED = 0;
   */
  UNSPECIFIED: 0,

  /**
   * Accepted, not yet begun.
   *
   * @generated from enum value: TASK_STATE_SUBMITTED = 1;
   */
  SUBMITTED: 1,

  /**
   * Under way.
   *
   * @generated from enum value: TASK_STATE_WORKING = 2;
   */
  WORKING: 2,

  /**
   * Ended well.
   *
   * @generated from enum value: TASK_STATE_COMPLETED = 3;
   */
  COMPLETED: 3,

  /**
   * Ended with an error.
   *
   * @generated from enum value: TASK_STATE_FAILED = 4;
   */
  FAILED: 4,

  /**
   * Stopped before its end.
   *
   * @generated from enum value: TASK_STATE_CANCELED = 5;
   */
  CANCELED: 5,

  /**
   * Waits for another message.
   *
   * @generated from enum value: TASK_STATE_INPUT_REQUIRED = 6;
   */
  INPUT_REQUIRED: 6,

  /**
   * The agent declined it.
   *
   * @generated from enum value: TASK_STATE_REJECTED = 7;
   */
  REJECTED: 7,

  /**
   * Waits for the caller to authenticate.
   *
   * @generated from enum value: TASK_STATE_AUTH_REQUIRED = 8;
   */
  AUTH_REQUIRED: 8,

  0: 'UNSPECIFIED',
  1: 'SUBMITTED',
  2: 'WORKING',
  3: 'COMPLETED',
  4: 'FAILED',
  5: 'CANCELED',
  6: 'INPUT_REQUIRED',
  7: 'REJECTED',
  8: 'AUTH_REQUIRED',
} as const;
export type TaskState = Extract<(typeof TaskState)[keyof typeof TaskState], number>;

/**
 * Describes the enum lf.a2a.v1.TaskState.
 */
export const TaskStateSchema: GenEnum<TaskState> = /*@__PURE__*/
  enumDesc(file_lf_a2a_v1_a2a, 0);

/**
 * Who speaks in a message.
 *
 * @generated from enum lf.a2a.v1.Role
 */
export const Role = {
  /**
   * Unknown.
   *
   * @generated from enum value: ROLE_UNSPECIFIED = 0;
   */
  UNSPECIFIED: 0,

  /**
   * The client.
   *
   * @generated from enum value: ROLE_USER = 1;
   */
  USER: 1,

  /**
   * The agent.
   *
   * @generated from enum value: ROLE_AGENT = 2;
   */
  AGENT: 2,

  0: 'UNSPECIFIED',
  1: 'USER',
  2: 'AGENT',
} as const;
export type Role = Extract<(typeof Role)[keyof typeof Role], number>;

/**
 * Describes the enum lf.a2a.v1.Role.
 */
export const RoleSchema: GenEnum<Role> = /*@__PURE__*/
  enumDesc(file_lf_a2a_v1_a2a, 1);

/**
 * The operations of an agent.
 *
 * @generated from service lf.a2a.v1.A2AService
 */
export const A2AService: GenService<{
  /**
   * Sends a message and waits for the outcome, unless told otherwise.
   *
   * @generated from rpc lf.a2a.v1.A2AService.SendMessage
   */
  sendMessage: {
    methodKind: "unary";
    input: typeof SendMessageRequestSchema;
    output: typeof SendMessageResponseSchema;
  },
  /**
   * Sends a message and streams what happens from there on.
   *
   * @generated from rpc lf.a2a.v1.A2AService.SendStreamingMessage
   */
  sendStreamingMessage: {
    methodKind: "server_streaming";
    input: typeof SendMessageRequestSchema;
    output: typeof StreamResponseSchema;
  },
  /**
   * Returns one task.
   *
   * @generated from rpc lf.a2a.v1.A2AService.GetTask
   */
  getTask: {
    methodKind: "unary";
    input: typeof GetTaskRequestSchema;
    output: typeof TaskSchema;
  },
  /**
   * Returns the tasks that the caller may see, page by page.
   *
   * @generated from rpc lf.a2a.v1.A2AService.ListTasks
   */
  listTasks: {
    methodKind: "unary";
    input: typeof ListTasksRequestSchema;
    output: typeof ListTasksResponseSchema;
  },
  /**
   * Asks the agent to stop working on a task, and returns the task.
   *
   * @generated from rpc lf.a2a.v1.A2AService.CancelTask
   */
  cancelTask: {
    methodKind: "unary";
    input: typeof CancelTaskRequestSchema;
    output: typeof TaskSchema;
  },
  /**
   * Streams the events of a task that has not ended, the task itself first.
   *
   * @generated from rpc lf.a2a.v1.A2AService.SubscribeToTask
   */
  subscribeToTask: {
    methodKind: "server_streaming";
    input: typeof SubscribeToTaskRequestSchema;
    output: typeof StreamResponseSchema;
  },
  /**
   * Registers a webhook for a task.
   *
   * @generated from rpc lf.a2a.v1.A2AService.CreateTaskPushNotificationConfig
   */
  createTaskPushNotificationConfig: {
    methodKind: "unary";
    input: typeof TaskPushNotificationConfigSchema;
    output: typeof TaskPushNotificationConfigSchema;
  },
  /**
   * Returns one webhook registration of a task.
   *
   * @generated from rpc lf.a2a.v1.A2AService.GetTaskPushNotificationConfig
   */
  getTaskPushNotificationConfig: {
    methodKind: "unary";
    input: typeof GetTaskPushNotificationConfigRequestSchema;
    output: typeof TaskPushNotificationConfigSchema;
  },
  /**
   * Returns the webhook registrations of a task.
   *
   * @generated from rpc lf.a2a.v1.A2AService.ListTaskPushNotificationConfigs
   */
  listTaskPushNotificationConfigs: {
    methodKind: "unary";
    input: typeof ListTaskPushNotificationConfigsRequestSchema;
    output: typeof ListTaskPushNotificationConfigsResponseSchema;
  },
  /**
   * Returns the card that only authenticated callers see.
   *
   * @generated from rpc lf.a2a.v1.A2AService.GetExtendedAgentCard
   */
  getExtendedAgentCard: {
    methodKind: "unary";
    input: typeof GetExtendedAgentCardRequestSchema;
    output: typeof AgentCardSchema;
  },
  /**
   * Removes a webhook registration from a task.
   *
   * @generated from rpc lf.a2a.v1.A2AService.DeleteTaskPushNotificationConfig
   */
  deleteTaskPushNotificationConfig: {
    methodKind: "unary";
    input: typeof DeleteTaskPushNotificationConfigRequestSchema;
    output: typeof EmptySchema;
  },
}> = /*@__PURE__*/
  serviceDesc(file_lf_a2a_v1_a2a, 0);

