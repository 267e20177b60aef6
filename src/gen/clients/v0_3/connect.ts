// Generated from proto/a2a/v1/a2a.proto by protobuf-es by `npm run generate`. Do not edit.

import type { GenEnum, GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import { enumDesc, fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import type { EmptySchema, Timestamp } from "@bufbuild/protobuf/wkt";
import { file_google_protobuf_empty, file_google_protobuf_struct, file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import type { JsonObject, Message as Message$1 } from "@bufbuild/protobuf";

/**
 * Describes the file a2a/v1/a2a.proto.
 */
export const file_a2a_v1_a2a: GenFile = /*@__PURE__*/
  fileDesc("ChBhMmEvdjEvYTJhLnByb3RvEgZhMmEudjEingEKGFNlbmRNZXNzYWdlQ29uZmlndXJhdGlvbhIdChVhY2NlcHRlZF9vdXRwdXRfbW9kZXMYASADKAkSOQoRcHVzaF9ub3RpZmljYXRpb24YAiABKAsyHi5hMmEudjEuUHVzaE5vdGlmaWNhdGlvbkNvbmZpZxIWCg5oaXN0b3J5X2xlbmd0aBgDIAEoBRIQCghibG9ja2luZxgEIAEoCCK8AQoEVGFzaxIKCgJpZBgBIAEoCRISCgpjb250ZXh0X2lkGAIgASgJEiIKBnN0YXR1cxgDIAEoCzISLmEyYS52MS5UYXNrU3RhdHVzEiMKCWFydGlmYWN0cxgEIAMoCzIQLmEyYS52MS5BcnRpZmFjdBIgCgdoaXN0b3J5GAUgAygLMg8uYTJhLnYxLk1lc3NhZ2USKQoIbWV0YWRhdGEYBiABKAsyFy5nb29nbGUucHJvdG9idWYuU3RydWN0IocBCgpUYXNrU3RhdHVzEiAKBXN0YXRlGAEgASgOMhEuYTJhLnYxLlRhc2tTdGF0ZRIoCgZ1cGRhdGUYAiABKAsyDy5hMmEudjEuTWVzc2FnZVIHbWVzc2FnZRItCgl0aW1lc3RhbXAYAyABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wIo0BCgRQYXJ0Eg4KBHRleHQYASABKAlIABIgCgRmaWxlGAIgASgLMhAuYTJhLnYxLkZpbGVQYXJ0SAASIAoEZGF0YRgDIAEoCzIQLmEyYS52MS5EYXRhUGFydEgAEikKCG1ldGFkYXRhGAQgASgLMhcuZ29vZ2xlLnByb3RvYnVmLlN0cnVjdEIGCgRwYXJ0ImcKCEZpbGVQYXJ0EhcKDWZpbGVfd2l0aF91cmkYASABKAlIABIZCg9maWxlX3dpdGhfYnl0ZXMYAiABKAxIABIRCgltaW1lX3R5cGUYAyABKAkSDAoEbmFtZRgEIAEoCUIGCgRmaWxlIjEKCERhdGFQYXJ0EiUKBGRhdGEYASABKAsyFy5nb29nbGUucHJvdG9idWYuU3RydWN0IrwBCgdNZXNzYWdlEhIKCm1lc3NhZ2VfaWQYASABKAkSEgoKY29udGV4dF9pZBgCIAEoCRIPCgd0YXNrX2lkGAMgASgJEhoKBHJvbGUYBCABKA4yDC5hMmEudjEuUm9sZRIdCgdjb250ZW50GAUgAygLMgwuYTJhLnYxLlBhcnQSKQoIbWV0YWRhdGEYBiABKAsyFy5nb29nbGUucHJvdG9idWYuU3RydWN0EhIKCmV4dGVuc2lvbnMYByADKAkingEKCEFydGlmYWN0EhMKC2FydGlmYWN0X2lkGAEgASgJEgwKBG5hbWUYAyABKAkSEwoLZGVzY3JpcHRpb24YBCABKAkSGwoFcGFydHMYBSADKAsyDC5hMmEudjEuUGFydBIpCghtZXRhZGF0YRgGIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QSEgoKZXh0ZW5zaW9ucxgHIAMoCSKaAQoVVGFza1N0YXR1c1VwZGF0ZUV2ZW50Eg8KB3Rhc2tfaWQYASABKAkSEgoKY29udGV4dF9pZBgCIAEoCRIiCgZzdGF0dXMYAyABKAsyEi5hMmEudjEuVGFza1N0YXR1cxINCgVmaW5hbBgEIAEoCBIpCghtZXRhZGF0YRgFIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QisQEKF1Rhc2tBcnRpZmFjdFVwZGF0ZUV2ZW50Eg8KB3Rhc2tfaWQYASABKAkSEgoKY29udGV4dF9pZBgCIAEoCRIiCghhcnRpZmFjdBgDIAEoCzIQLmEyYS52MS5BcnRpZmFjdBIOCgZhcHBlbmQYBCABKAgSEgoKbGFzdF9jaHVuaxgFIAEoCBIpCghtZXRhZGF0YRgGIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3QidAoWUHVzaE5vdGlmaWNhdGlvbkNvbmZpZxIKCgJpZBgBIAEoCRILCgN1cmwYAiABKAkSDQoFdG9rZW4YAyABKAkSMgoOYXV0aGVudGljYXRpb24YBCABKAsyGi5hMmEudjEuQXV0aGVudGljYXRpb25JbmZvIjoKEkF1dGhlbnRpY2F0aW9uSW5mbxIPCgdzY2hlbWVzGAEgAygJEhMKC2NyZWRlbnRpYWxzGAIgASgJIjAKDkFnZW50SW50ZXJmYWNlEgsKA3VybBgBIAEoCRIRCgl0cmFuc3BvcnQYAiABKAkitAUKCUFnZW50Q2FyZBIMCgRuYW1lGAEgASgJEhMKC2Rlc2NyaXB0aW9uGAIgASgJEgsKA3VybBgDIAEoCRInCghwcm92aWRlchgEIAEoCzIVLmEyYS52MS5BZ2VudFByb3ZpZGVyEg8KB3ZlcnNpb24YBSABKAkSGQoRZG9jdW1lbnRhdGlvbl91cmwYBiABKAkSLwoMY2FwYWJpbGl0aWVzGAcgASgLMhkuYTJhLnYxLkFnZW50Q2FwYWJpbGl0aWVzEkAKEHNlY3VyaXR5X3NjaGVtZXMYCCADKAsyJi5hMmEudjEuQWdlbnRDYXJkLlNlY3VyaXR5U2NoZW1lc0VudHJ5EiIKCHNlY3VyaXR5GAkgAygLMhAuYTJhLnYxLlNlY3VyaXR5EhsKE2RlZmF1bHRfaW5wdXRfbW9kZXMYCiADKAkSHAoUZGVmYXVsdF9vdXRwdXRfbW9kZXMYCyADKAkSIgoGc2tpbGxzGAwgAygLMhIuYTJhLnYxLkFnZW50U2tpbGwSLAokc3VwcG9ydHNfYXV0aGVudGljYXRlZF9leHRlbmRlZF9jYXJkGA0gASgIEhsKE3ByZWZlcnJlZF90cmFuc3BvcnQYDiABKAkSNQoVYWRkaXRpb25hbF9pbnRlcmZhY2VzGA8gAygLMhYuYTJhLnYxLkFnZW50SW50ZXJmYWNlEhgKEHByb3RvY29sX3ZlcnNpb24YECABKAkSLgoKc2lnbmF0dXJlcxgRIAMoCzIaLmEyYS52MS5BZ2VudENhcmRTaWduYXR1cmUSEAoIaWNvbl91cmwYEiABKAkaTgoUU2VjdXJpdHlTY2hlbWVzRW50cnkSCwoDa2V5GAEgASgJEiUKBXZhbHVlGAIgASgLMhYuYTJhLnYxLlNlY3VyaXR5U2NoZW1lOgI4ASIyCg1BZ2VudFByb3ZpZGVyEgsKA3VybBgBIAEoCRIUCgxvcmdhbml6YXRpb24YAiABKAkibgoRQWdlbnRDYXBhYmlsaXRpZXMSEQoJc3RyZWFtaW5nGAEgASgIEhoKEnB1c2hfbm90aWZpY2F0aW9ucxgCIAEoCBIqCgpleHRlbnNpb25zGAMgAygLMhYuYTJhLnYxLkFnZW50RXh0ZW5zaW9uIm0KDkFnZW50RXh0ZW5zaW9uEgsKA3VyaRgBIAEoCRITCgtkZXNjcmlwdGlvbhgCIAEoCRIQCghyZXF1aXJlZBgDIAEoCBInCgZwYXJhbXMYBCABKAsyFy5nb29nbGUucHJvdG9idWYuU3RydWN0IqoBCgpBZ2VudFNraWxsEgoKAmlkGAEgASgJEgwKBG5hbWUYAiABKAkSEwoLZGVzY3JpcHRpb24YAyABKAkSDAoEdGFncxgEIAMoCRIQCghleGFtcGxlcxgFIAMoCRITCgtpbnB1dF9tb2RlcxgGIAMoCRIUCgxvdXRwdXRfbW9kZXMYByADKAkSIgoIc2VjdXJpdHkYCCADKAsyEC5hMmEudjEuU2VjdXJpdHkiYwoSQWdlbnRDYXJkU2lnbmF0dXJlEhEKCXByb3RlY3RlZBgBIAEoCRIRCglzaWduYXR1cmUYAiABKAkSJwoGaGVhZGVyGAMgASgLMhcuZ29vZ2xlLnByb3RvYnVmLlN0cnVjdCJsChpUYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZxIMCgRuYW1lGAEgASgJEkAKGHB1c2hfbm90aWZpY2F0aW9uX2NvbmZpZxgCIAEoCzIeLmEyYS52MS5QdXNoTm90aWZpY2F0aW9uQ29uZmlnIhoKClN0cmluZ0xpc3QSDAoEbGlzdBgBIAMoCSJ+CghTZWN1cml0eRIuCgdzY2hlbWVzGAEgAygLMh0uYTJhLnYxLlNlY3VyaXR5LlNjaGVtZXNFbnRyeRpCCgxTY2hlbWVzRW50cnkSCwoDa2V5GAEgASgJEiEKBXZhbHVlGAIgASgLMhIuYTJhLnYxLlN0cmluZ0xpc3Q6AjgBIvECCg5TZWN1cml0eVNjaGVtZRI/ChdhcGlfa2V5X3NlY3VyaXR5X3NjaGVtZRgBIAEoCzIcLmEyYS52MS5BUElLZXlTZWN1cml0eVNjaGVtZUgAEkMKGWh0dHBfYXV0aF9zZWN1cml0eV9zY2hlbWUYAiABKAsyHi5hMmEudjEuSFRUUEF1dGhTZWN1cml0eVNjaGVtZUgAEj4KFm9hdXRoMl9zZWN1cml0eV9zY2hlbWUYAyABKAsyHC5hMmEudjEuT0F1dGgyU2VjdXJpdHlTY2hlbWVIABJOCh9vcGVuX2lkX2Nvbm5lY3Rfc2VjdXJpdHlfc2NoZW1lGAQgASgLMiMuYTJhLnYxLk9wZW5JZENvbm5lY3RTZWN1cml0eVNjaGVtZUgAEj8KFG10bHNfc2VjdXJpdHlfc2NoZW1lGAUgASgLMh8uYTJhLnYxLk11dHVhbFRsc1NlY3VyaXR5U2NoZW1lSABCCAoGc2NoZW1lIksKFEFQSUtleVNlY3VyaXR5U2NoZW1lEhMKC2Rlc2NyaXB0aW9uGAEgASgJEhAKCGxvY2F0aW9uGAIgASgJEgwKBG5hbWUYAyABKAkiVAoWSFRUUEF1dGhTZWN1cml0eVNjaGVtZRITCgtkZXNjcmlwdGlvbhgBIAEoCRIOCgZzY2hlbWUYAiABKAkSFQoNYmVhcmVyX2Zvcm1hdBgDIAEoCSJrChRPQXV0aDJTZWN1cml0eVNjaGVtZRITCgtkZXNjcmlwdGlvbhgBIAEoCRIhCgVmbG93cxgCIAEoCzISLmEyYS52MS5PQXV0aEZsb3dzEhsKE29hdXRoMl9tZXRhZGF0YV91cmwYAyABKAkiTwobT3BlbklkQ29ubmVjdFNlY3VyaXR5U2NoZW1lEhMKC2Rlc2NyaXB0aW9uGAEgASgJEhsKE29wZW5faWRfY29ubmVjdF91cmwYAiABKAkiLgoXTXV0dWFsVGxzU2VjdXJpdHlTY2hlbWUSEwoLZGVzY3JpcHRpb24YASABKAki9gEKCk9BdXRoRmxvd3MSQAoSYXV0aG9yaXphdGlvbl9jb2RlGAEgASgLMiIuYTJhLnYxLkF1dGhvcml6YXRpb25Db2RlT0F1dGhGbG93SAASQAoSY2xpZW50X2NyZWRlbnRpYWxzGAIgASgLMiIuYTJhLnYxLkNsaWVudENyZWRlbnRpYWxzT0F1dGhGbG93SAASLQoIaW1wbGljaXQYAyABKAsyGS5hMmEudjEuSW1wbGljaXRPQXV0aEZsb3dIABItCghwYXNzd29yZBgEIAEoCzIZLmEyYS52MS5QYXNzd29yZE9BdXRoRmxvd0gAQgYKBGZsb3cizgEKGkF1dGhvcml6YXRpb25Db2RlT0F1dGhGbG93EhkKEWF1dGhvcml6YXRpb25fdXJsGAEgASgJEhEKCXRva2VuX3VybBgCIAEoCRITCgtyZWZyZXNoX3VybBgDIAEoCRI+CgZzY29wZXMYBCADKAsyLi5hMmEudjEuQXV0aG9yaXphdGlvbkNvZGVPQXV0aEZsb3cuU2NvcGVzRW50cnkaLQoLU2NvcGVzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4ASKzAQoaQ2xpZW50Q3JlZGVudGlhbHNPQXV0aEZsb3cSEQoJdG9rZW5fdXJsGAEgASgJEhMKC3JlZnJlc2hfdXJsGAIgASgJEj4KBnNjb3BlcxgDIAMoCzIuLmEyYS52MS5DbGllbnRDcmVkZW50aWFsc09BdXRoRmxvdy5TY29wZXNFbnRyeRotCgtTY29wZXNFbnRyeRILCgNrZXkYASABKAkSDQoFdmFsdWUYAiABKAk6AjgBIqkBChFJbXBsaWNpdE9BdXRoRmxvdxIZChFhdXRob3JpemF0aW9uX3VybBgBIAEoCRITCgtyZWZyZXNoX3VybBgCIAEoCRI1CgZzY29wZXMYAyADKAsyJS5hMmEudjEuSW1wbGljaXRPQXV0aEZsb3cuU2NvcGVzRW50cnkaLQoLU2NvcGVzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4ASKhAQoRUGFzc3dvcmRPQXV0aEZsb3cSEQoJdG9rZW5fdXJsGAEgASgJEhMKC3JlZnJlc2hfdXJsGAIgASgJEjUKBnNjb3BlcxgDIAMoCzIlLmEyYS52MS5QYXNzd29yZE9BdXRoRmxvdy5TY29wZXNFbnRyeRotCgtTY29wZXNFbnRyeRILCgNrZXkYASABKAkSDQoFdmFsdWUYAiABKAk6AjgBIqMBChJTZW5kTWVzc2FnZVJlcXVlc3QSKQoHcmVxdWVzdBgBIAEoCzIPLmEyYS52MS5NZXNzYWdlUgdtZXNzYWdlEjcKDWNvbmZpZ3VyYXRpb24YAiABKAsyIC5hMmEudjEuU2VuZE1lc3NhZ2VDb25maWd1cmF0aW9uEikKCG1ldGFkYXRhGAMgASgLMhcuZ29vZ2xlLnByb3RvYnVmLlN0cnVjdCI2Cg5HZXRUYXNrUmVxdWVzdBIMCgRuYW1lGAEgASgJEhYKDmhpc3RvcnlfbGVuZ3RoGAIgASgFIiEKEUNhbmNlbFRhc2tSZXF1ZXN0EgwKBG5hbWUYASABKAkiNAokR2V0VGFza1B1c2hOb3RpZmljYXRpb25Db25maWdSZXF1ZXN0EgwKBG5hbWUYASABKAkiNwonRGVsZXRlVGFza1B1c2hOb3RpZmljYXRpb25Db25maWdSZXF1ZXN0EgwKBG5hbWUYASABKAkigAEKJ0NyZWF0ZVRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnUmVxdWVzdBIOCgZwYXJlbnQYASABKAkSEQoJY29uZmlnX2lkGAIgASgJEjIKBmNvbmZpZxgDIAEoCzIiLmEyYS52MS5UYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZyInChdUYXNrU3Vic2NyaXB0aW9uUmVxdWVzdBIMCgRuYW1lGAEgASgJIl4KJUxpc3RUYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZ1JlcXVlc3QSDgoGcGFyZW50GAEgASgJEhEKCXBhZ2Vfc2l6ZRgCIAEoBRISCgpwYWdlX3Rva2VuGAMgASgJIhUKE0dldEFnZW50Q2FyZFJlcXVlc3QiZwoTU2VuZE1lc3NhZ2VSZXNwb25zZRIcCgR0YXNrGAEgASgLMgwuYTJhLnYxLlRhc2tIABInCgNtc2cYAiABKAsyDy5hMmEudjEuTWVzc2FnZUgAUgdtZXNzYWdlQgkKB3BheWxvYWQi1gEKDlN0cmVhbVJlc3BvbnNlEhwKBHRhc2sYASABKAsyDC5hMmEudjEuVGFza0gAEicKA21zZxgCIAEoCzIPLmEyYS52MS5NZXNzYWdlSABSB21lc3NhZ2USNgoNc3RhdHVzX3VwZGF0ZRgDIAEoCzIdLmEyYS52MS5UYXNrU3RhdHVzVXBkYXRlRXZlbnRIABI6Cg9hcnRpZmFjdF91cGRhdGUYBCABKAsyHy5hMmEudjEuVGFza0FydGlmYWN0VXBkYXRlRXZlbnRIAEIJCgdwYXlsb2FkInYKJkxpc3RUYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZ1Jlc3BvbnNlEjMKB2NvbmZpZ3MYASADKAsyIi5hMmEudjEuVGFza1B1c2hOb3RpZmljYXRpb25Db25maWcSFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJKvoBCglUYXNrU3RhdGUSGgoWVEFTS19TVEFURV9VTlNQRUNJRklFRBAAEhgKFFRBU0tfU1RBVEVfU1VCTUlUVEVEEAESFgoSVEFTS19TVEFURV9XT1JLSU5HEAISGAoUVEFTS19TVEFURV9DT01QTEVURUQQAxIVChFUQVNLX1NUQVRFX0ZBSUxFRBAEEhgKFFRBU0tfU1RBVEVfQ0FOQ0VMTEVEEAUSHQoZVEFTS19TVEFURV9JTlBVVF9SRVFVSVJFRBAGEhcKE1RBU0tfU1RBVEVfUkVKRUNURUQQBxIcChhUQVNLX1NUQVRFX0FVVEhfUkVRVUlSRUQQCCo7CgRSb2xlEhQKEFJPTEVfVU5TUEVDSUZJRUQQABINCglST0xFX1VTRVIQARIOCgpST0xFX0FHRU5UEAIy8wYKCkEyQVNlcnZpY2USRgoLU2VuZE1lc3NhZ2USGi5hMmEudjEuU2VuZE1lc3NhZ2VSZXF1ZXN0GhsuYTJhLnYxLlNlbmRNZXNzYWdlUmVzcG9uc2USTAoUU2VuZFN0cmVhbWluZ01lc3NhZ2USGi5hMmEudjEuU2VuZE1lc3NhZ2VSZXF1ZXN0GhYuYTJhLnYxLlN0cmVhbVJlc3BvbnNlMAESLwoHR2V0VGFzaxIWLmEyYS52MS5HZXRUYXNrUmVxdWVzdBoMLmEyYS52MS5UYXNrEjUKCkNhbmNlbFRhc2sSGS5hMmEudjEuQ2FuY2VsVGFza1JlcXVlc3QaDC5hMmEudjEuVGFzaxJNChBUYXNrU3Vic2NyaXB0aW9uEh8uYTJhLnYxLlRhc2tTdWJzY3JpcHRpb25SZXF1ZXN0GhYuYTJhLnYxLlN0cmVhbVJlc3BvbnNlMAESdwogQ3JlYXRlVGFza1B1c2hOb3RpZmljYXRpb25Db25maWcSLy5hMmEudjEuQ3JlYXRlVGFza1B1c2hOb3RpZmljYXRpb25Db25maWdSZXF1ZXN0GiIuYTJhLnYxLlRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnEnEKHUdldFRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnEiwuYTJhLnYxLkdldFRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnUmVxdWVzdBoiLmEyYS52MS5UYXNrUHVzaE5vdGlmaWNhdGlvbkNvbmZpZxJ/Ch5MaXN0VGFza1B1c2hOb3RpZmljYXRpb25Db25maWcSLS5hMmEudjEuTGlzdFRhc2tQdXNoTm90aWZpY2F0aW9uQ29uZmlnUmVxdWVzdBouLmEyYS52MS5MaXN0VGFza1B1c2hOb3RpZmljYXRpb25Db25maWdSZXNwb25zZRI+CgxHZXRBZ2VudENhcmQSGy5hMmEudjEuR2V0QWdlbnRDYXJkUmVxdWVzdBoRLmEyYS52MS5BZ2VudENhcmQSawogRGVsZXRlVGFza1B1c2hOb3RpZmljYXRpb25Db25maWcSLy5hMmEudjEuRGVsZXRlVGFza1B1c2hOb3RpZmljYXRpb25Db25maWdSZXF1ZXN0GhYuZ29vZ2xlLnByb3RvYnVmLkVtcHR5Qj0KEWNvbS5nb29nbGUuYTJhLnYxQgNBMkFQAVoYZ29vZ2xlLmdvbGFuZy5vcmcvYTJhL3YxqgIGQTJhLlYxYgZwcm90bzM", [file_google_protobuf_empty, file_google_protobuf_struct, file_google_protobuf_timestamp]);

/**
 * What the caller wants of the answer to a send.
 *
 * @generated from message a2a.v1.SendMessageConfiguration
 */
export type SendMessageConfiguration = Message$1<"a2a.v1.SendMessageConfiguration"> & {
  /**
   * Media types that the caller can take, such as text/plain.
   *
   * @generated from field: repeated string accepted_output_modes = 1;
   */
  acceptedOutputModes: string[];

  /**
   * Registered for the task before work on it begins.
   *
   * @generated from field: a2a.v1.PushNotificationConfig push_notification = 2;
   */
  pushNotification?: PushNotificationConfig | undefined;

  /**
   * How many of the latest messages the returned task may carry; 0 means none.
   *
   * @generated from field: int32 history_length = 3;
   */
  historyLength: number;

  /**
   * Wait for a terminal or interrupted state before answering.
   *
   * @generated from field: bool blocking = 4;
   */
  blocking: boolean;
};

/**
 * Describes the message a2a.v1.SendMessageConfiguration.
 * Use `create(SendMessageConfigurationSchema)` to create a new message.
 */
export const SendMessageConfigurationSchema: GenMessage<SendMessageConfiguration> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 0);

/**
 * A unit of work that an agent has taken on, with its state and all it has produced.
 *
 * @generated from message a2a.v1.Task
 */
export type Task = Message$1<"a2a.v1.Task"> & {
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
   * @generated from field: a2a.v1.TaskStatus status = 3;
   */
  status?: TaskStatus | undefined;

  /**
   * What the task has produced so far.
   *
   * @generated from field: repeated a2a.v1.Artifact artifacts = 4;
   */
  artifacts: Artifact[];

  /**
   * The messages exchanged so far, oldest first.
   *
   * @generated from field: repeated a2a.v1.Message history = 5;
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
 * Describes the message a2a.v1.Task.
 * Use `create(TaskSchema)` to create a new message.
 */
export const TaskSchema: GenMessage<Task> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 1);

/**
 * The state of a task at one moment.
 *
 * @generated from message a2a.v1.TaskStatus
 */
export type TaskStatus = Message$1<"a2a.v1.TaskStatus"> & {
  /**
   * @generated from field: a2a.v1.TaskState state = 1;
   */
  state: TaskState;

  /**
   * What the agent has to say about this status. JSON calls it message.
   *
   * @generated from field: a2a.v1.Message update = 2 [json_name = "message"];
   */
  update?: Message | undefined;

  /**
   * When the status was set.
   *
   * @generated from field: google.protobuf.Timestamp timestamp = 3;
   */
  timestamp?: Timestamp | undefined;
};

/**
 * Describes the message a2a.v1.TaskStatus.
 * Use `create(TaskStatusSchema)` to create a new message.
 */
export const TaskStatusSchema: GenMessage<TaskStatus> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 2);

/**
 * One piece of content: text, a file by value or by reference, or structured data.
 *
 * @generated from message a2a.v1.Part
 */
export type Part = Message$1<"a2a.v1.Part"> & {
  /**
   * @generated from oneof a2a.v1.Part.part
   */
  part: {
    /**
     * Text.
     *
     * @generated from field: string text = 1;
     */
    value: string;
    case: "text";
  } | {
    /**
     * @generated from field: a2a.v1.FilePart file = 2;
     */
    value: FilePart;
    case: "file";
  } | {
    /**
     * Any JSON value, null included.
     *
     * @generated from field: a2a.v1.DataPart data = 3;
     */
    value: DataPart;
    case: "data";
  } | { case: undefined; value?: undefined };

  /**
   * Came after 0.3.0; servers and clients in Python write it.
   *
   * @generated from field: google.protobuf.Struct metadata = 4;
   */
  metadata?: JsonObject | undefined;
};

/**
 * Describes the message a2a.v1.Part.
 * Use `create(PartSchema)` to create a new message.
 */
export const PartSchema: GenMessage<Part> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 3);

/**
 * A file, by reference or by value.
 *
 * @generated from message a2a.v1.FilePart
 */
export type FilePart = Message$1<"a2a.v1.FilePart"> & {
  /**
   * @generated from oneof a2a.v1.FilePart.file
   */
  file: {
    /**
     * Where the file can be fetched.
     *
     * @generated from field: string file_with_uri = 1;
     */
    value: string;
    case: "fileWithUri";
  } | {
    /**
     * The bytes of the file.
     *
     * @generated from field: bytes file_with_bytes = 2;
     */
    value: Uint8Array;
    case: "fileWithBytes";
  } | { case: undefined; value?: undefined };

  /**
   * The media type of the file, such as image/png.
   *
   * @generated from field: string mime_type = 3;
   */
  mimeType: string;

  /**
   * Came after 0.3.0; servers and clients in Python write it.
   *
   * @generated from field: string name = 4;
   */
  name: string;
};

/**
 * Describes the message a2a.v1.FilePart.
 * Use `create(FilePartSchema)` to create a new message.
 */
export const FilePartSchema: GenMessage<FilePart> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 4);

/**
 * A JSON object as content.
 *
 * @generated from message a2a.v1.DataPart
 */
export type DataPart = Message$1<"a2a.v1.DataPart"> & {
  /**
   * @generated from field: google.protobuf.Struct data = 1;
   */
  data?: JsonObject | undefined;
};

/**
 * Describes the message a2a.v1.DataPart.
 * Use `create(DataPartSchema)` to create a new message.
 */
export const DataPartSchema: GenMessage<DataPart> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 5);

/**
 * One turn of the conversation between a client and an agent.
 *
 * @generated from message a2a.v1.Message
 */
export type Message = Message$1<"a2a.v1.Message"> & {
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
   * @generated from field: a2a.v1.Role role = 4;
   */
  role: Role;

  /**
   * What is said.
   *
   * @generated from field: repeated a2a.v1.Part content = 5;
   */
  content: Part[];

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
};

/**
 * Describes the message a2a.v1.Message.
 * Use `create(MessageSchema)` to create a new message.
 */
export const MessageSchema: GenMessage<Message> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 6);

/**
 * Something that a task has produced.
 *
 * @generated from message a2a.v1.Artifact
 */
export type Artifact = Message$1<"a2a.v1.Artifact"> & {
  /**
   * Unique within the task.
   *
   * @generated from field: string artifact_id = 1;
   */
  artifactId: string;

  /**
   * @generated from field: string name = 3;
   */
  name: string;

  /**
   * @generated from field: string description = 4;
   */
  description: string;

  /**
   * The content; at least one part.
   *
   * @generated from field: repeated a2a.v1.Part parts = 5;
   */
  parts: Part[];

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 6;
   */
  metadata?: JsonObject | undefined;

  /**
   * URIs of the extensions that this artifact uses.
   *
   * @generated from field: repeated string extensions = 7;
   */
  extensions: string[];
};

/**
 * Describes the message a2a.v1.Artifact.
 * Use `create(ArtifactSchema)` to create a new message.
 */
export const ArtifactSchema: GenMessage<Artifact> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 7);

/**
 * Tells the watchers of a task that its status has changed.
 *
 * @generated from message a2a.v1.TaskStatusUpdateEvent
 */
export type TaskStatusUpdateEvent = Message$1<"a2a.v1.TaskStatusUpdateEvent"> & {
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
   * @generated from field: a2a.v1.TaskStatus status = 3;
   */
  status?: TaskStatus | undefined;

  /**
   * No more events follow on this stream.
   *
   * @generated from field: bool final = 4;
   */
  final: boolean;

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 5;
   */
  metadata?: JsonObject | undefined;
};

/**
 * Describes the message a2a.v1.TaskStatusUpdateEvent.
 * Use `create(TaskStatusUpdateEventSchema)` to create a new message.
 */
export const TaskStatusUpdateEventSchema: GenMessage<TaskStatusUpdateEvent> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 8);

/**
 * Tells the watchers of a task that an artifact, or a chunk of one, has arrived.
 *
 * @generated from message a2a.v1.TaskArtifactUpdateEvent
 */
export type TaskArtifactUpdateEvent = Message$1<"a2a.v1.TaskArtifactUpdateEvent"> & {
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
   * @generated from field: a2a.v1.Artifact artifact = 3;
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
 * Describes the message a2a.v1.TaskArtifactUpdateEvent.
 * Use `create(TaskArtifactUpdateEventSchema)` to create a new message.
 */
export const TaskArtifactUpdateEventSchema: GenMessage<TaskArtifactUpdateEvent> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 9);

/**
 * Where and how to deliver push notifications.
 *
 * @generated from message a2a.v1.PushNotificationConfig
 */
export type PushNotificationConfig = Message$1<"a2a.v1.PushNotificationConfig"> & {
  /**
   * @generated from field: string id = 1;
   */
  id: string;

  /**
   * Where notifications are sent.
   *
   * @generated from field: string url = 2;
   */
  url: string;

  /**
   * Opaque to the server, which sends it along so that the receiver can tell its own.
   *
   * @generated from field: string token = 3;
   */
  token: string;

  /**
   * @generated from field: a2a.v1.AuthenticationInfo authentication = 4;
   */
  authentication?: AuthenticationInfo | undefined;
};

/**
 * Describes the message a2a.v1.PushNotificationConfig.
 * Use `create(PushNotificationConfigSchema)` to create a new message.
 */
export const PushNotificationConfigSchema: GenMessage<PushNotificationConfig> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 10);

/**
 * How a webhook wants to be authenticated to.
 *
 * @generated from message a2a.v1.AuthenticationInfo
 */
export type AuthenticationInfo = Message$1<"a2a.v1.AuthenticationInfo"> & {
  /**
   * HTTP authentication schemes that the webhook accepts, such as Bearer.
   *
   * @generated from field: repeated string schemes = 1;
   */
  schemes: string[];

  /**
   * What follows the scheme in the Authorization header.
   *
   * @generated from field: string credentials = 2;
   */
  credentials: string;
};

/**
 * Describes the message a2a.v1.AuthenticationInfo.
 * Use `create(AuthenticationInfoSchema)` to create a new message.
 */
export const AuthenticationInfoSchema: GenMessage<AuthenticationInfo> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 11);

/**
 * One address of the agent, with the binding spoken there.
 *
 * @generated from message a2a.v1.AgentInterface
 */
export type AgentInterface = Message$1<"a2a.v1.AgentInterface"> & {
  /**
   * Absolute, for HTTP bindings with scheme.
   *
   * @generated from field: string url = 1;
   */
  url: string;

  /**
   * JSONRPC, GRPC or HTTP+JSON.
   *
   * @generated from field: string transport = 2;
   */
  transport: string;
};

/**
 * Describes the message a2a.v1.AgentInterface.
 * Use `create(AgentInterfaceSchema)` to create a new message.
 */
export const AgentInterfaceSchema: GenMessage<AgentInterface> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 12);

/**
 * The agent's description of itself: who it is, what it can do, and how to reach it.
 *
 * @generated from message a2a.v1.AgentCard
 */
export type AgentCard = Message$1<"a2a.v1.AgentCard"> & {
  /**
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * @generated from field: string description = 2;
   */
  description: string;

  /**
   * @generated from field: string url = 3;
   */
  url: string;

  /**
   * @generated from field: a2a.v1.AgentProvider provider = 4;
   */
  provider?: AgentProvider | undefined;

  /**
   * The version of the agent, not of the protocol.
   *
   * @generated from field: string version = 5;
   */
  version: string;

  /**
   * @generated from field: string documentation_url = 6;
   */
  documentationUrl: string;

  /**
   * Optional features.
   *
   * @generated from field: a2a.v1.AgentCapabilities capabilities = 7;
   */
  capabilities?: AgentCapabilities | undefined;

  /**
   * The ways of authenticating, by name.
   *
   * @generated from field: map<string, a2a.v1.SecurityScheme> security_schemes = 8;
   */
  securitySchemes: { [key: string]: SecurityScheme };

  /**
   * Any one of these suffices.
   *
   * @generated from field: repeated a2a.v1.Security security = 9;
   */
  security: Security[];

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
   * @generated from field: repeated a2a.v1.AgentSkill skills = 12;
   */
  skills: AgentSkill[];

  /**
   * Authenticated callers can get a fuller card.
   *
   * @generated from field: bool supports_authenticated_extended_card = 13;
   */
  supportsAuthenticatedExtendedCard: boolean;

  /**
   * The transport at url; JSONRPC when empty.
   *
   * @generated from field: string preferred_transport = 14;
   */
  preferredTransport: string;

  /**
   * Further addresses of the same agent.
   *
   * @generated from field: repeated a2a.v1.AgentInterface additional_interfaces = 15;
   */
  additionalInterfaces: AgentInterface[];

  /**
   * The version of the protocol spoken at url.
   *
   * @generated from field: string protocol_version = 16;
   */
  protocolVersion: string;

  /**
   * Signatures over the card without this field, canonicalised by RFC 8785.
   *
   * @generated from field: repeated a2a.v1.AgentCardSignature signatures = 17;
   */
  signatures: AgentCardSignature[];

  /**
   * Came after 0.3.0; servers and clients in Python write it.
   *
   * @generated from field: string icon_url = 18;
   */
  iconUrl: string;
};

/**
 * Describes the message a2a.v1.AgentCard.
 * Use `create(AgentCardSchema)` to create a new message.
 */
export const AgentCardSchema: GenMessage<AgentCard> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 13);

/**
 * The organisation behind the agent.
 *
 * @generated from message a2a.v1.AgentProvider
 */
export type AgentProvider = Message$1<"a2a.v1.AgentProvider"> & {
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
 * Describes the message a2a.v1.AgentProvider.
 * Use `create(AgentProviderSchema)` to create a new message.
 */
export const AgentProviderSchema: GenMessage<AgentProvider> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 14);

/**
 * The optional features that the agent has.
 *
 * @generated from message a2a.v1.AgentCapabilities
 */
export type AgentCapabilities = Message$1<"a2a.v1.AgentCapabilities"> & {
  /**
   * The agent streams.
   *
   * @generated from field: bool streaming = 1;
   */
  streaming: boolean;

  /**
   * The agent calls webhooks.
   *
   * @generated from field: bool push_notifications = 2;
   */
  pushNotifications: boolean;

  /**
   * Protocol extensions.
   *
   * @generated from field: repeated a2a.v1.AgentExtension extensions = 3;
   */
  extensions: AgentExtension[];
};

/**
 * Describes the message a2a.v1.AgentCapabilities.
 * Use `create(AgentCapabilitiesSchema)` to create a new message.
 */
export const AgentCapabilitiesSchema: GenMessage<AgentCapabilities> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 15);

/**
 * A protocol extension that the agent supports.
 *
 * @generated from message a2a.v1.AgentExtension
 */
export type AgentExtension = Message$1<"a2a.v1.AgentExtension"> & {
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
 * Describes the message a2a.v1.AgentExtension.
 * Use `create(AgentExtensionSchema)` to create a new message.
 */
export const AgentExtensionSchema: GenMessage<AgentExtension> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 16);

/**
 * One thing that the agent is good at.
 *
 * @generated from message a2a.v1.AgentSkill
 */
export type AgentSkill = Message$1<"a2a.v1.AgentSkill"> & {
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
   * @generated from field: repeated a2a.v1.Security security = 8;
   */
  security: Security[];
};

/**
 * Describes the message a2a.v1.AgentSkill.
 * Use `create(AgentSkillSchema)` to create a new message.
 */
export const AgentSkillSchema: GenMessage<AgentSkill> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 17);

/**
 * A JSON Web Signature (RFC 7515) over the card.
 *
 * @generated from message a2a.v1.AgentCardSignature
 */
export type AgentCardSignature = Message$1<"a2a.v1.AgentCardSignature"> & {
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
 * Describes the message a2a.v1.AgentCardSignature.
 * Use `create(AgentCardSignatureSchema)` to create a new message.
 */
export const AgentCardSignatureSchema: GenMessage<AgentCardSignature> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 18);

/**
 * A push notification configuration, bound to its task.
 *
 * @generated from message a2a.v1.TaskPushNotificationConfig
 */
export type TaskPushNotificationConfig = Message$1<"a2a.v1.TaskPushNotificationConfig"> & {
  /**
   * tasks/{id}/pushNotificationConfigs/{config}.
   *
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * @generated from field: a2a.v1.PushNotificationConfig push_notification_config = 2;
   */
  pushNotificationConfig?: PushNotificationConfig | undefined;
};

/**
 * Describes the message a2a.v1.TaskPushNotificationConfig.
 * Use `create(TaskPushNotificationConfigSchema)` to create a new message.
 */
export const TaskPushNotificationConfigSchema: GenMessage<TaskPushNotificationConfig> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 19);

/**
 * A list of strings, where a map needs one as a value.
 *
 * @generated from message a2a.v1.StringList
 */
export type StringList = Message$1<"a2a.v1.StringList"> & {
  /**
   * @generated from field: repeated string list = 1;
   */
  list: string[];
};

/**
 * Describes the message a2a.v1.StringList.
 * Use `create(StringListSchema)` to create a new message.
 */
export const StringListSchema: GenMessage<StringList> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 20);

/**
 * The schemes that must be satisfied together, each with the scopes that it needs.
 *
 * @generated from message a2a.v1.Security
 */
export type Security = Message$1<"a2a.v1.Security"> & {
  /**
   * @generated from field: map<string, a2a.v1.StringList> schemes = 1;
   */
  schemes: { [key: string]: StringList };
};

/**
 * Describes the message a2a.v1.Security.
 * Use `create(SecuritySchema)` to create a new message.
 */
export const SecuritySchema: GenMessage<Security> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 21);

/**
 * One way of authenticating to the agent.
 *
 * @generated from message a2a.v1.SecurityScheme
 */
export type SecurityScheme = Message$1<"a2a.v1.SecurityScheme"> & {
  /**
   * @generated from oneof a2a.v1.SecurityScheme.scheme
   */
  scheme: {
    /**
     * @generated from field: a2a.v1.APIKeySecurityScheme api_key_security_scheme = 1;
     */
    value: APIKeySecurityScheme;
    case: "apiKeySecurityScheme";
  } | {
    /**
     * @generated from field: a2a.v1.HTTPAuthSecurityScheme http_auth_security_scheme = 2;
     */
    value: HTTPAuthSecurityScheme;
    case: "httpAuthSecurityScheme";
  } | {
    /**
     * @generated from field: a2a.v1.OAuth2SecurityScheme oauth2_security_scheme = 3;
     */
    value: OAuth2SecurityScheme;
    case: "oauth2SecurityScheme";
  } | {
    /**
     * @generated from field: a2a.v1.OpenIdConnectSecurityScheme open_id_connect_security_scheme = 4;
     */
    value: OpenIdConnectSecurityScheme;
    case: "openIdConnectSecurityScheme";
  } | {
    /**
     * @generated from field: a2a.v1.MutualTlsSecurityScheme mtls_security_scheme = 5;
     */
    value: MutualTlsSecurityScheme;
    case: "mtlsSecurityScheme";
  } | { case: undefined; value?: undefined };
};

/**
 * Describes the message a2a.v1.SecurityScheme.
 * Use `create(SecuritySchemeSchema)` to create a new message.
 */
export const SecuritySchemeSchema: GenMessage<SecurityScheme> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 22);

/**
 * An API key in a header, a query parameter or a cookie.
 *
 * @generated from message a2a.v1.APIKeySecurityScheme
 */
export type APIKeySecurityScheme = Message$1<"a2a.v1.APIKeySecurityScheme"> & {
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
 * Describes the message a2a.v1.APIKeySecurityScheme.
 * Use `create(APIKeySecuritySchemeSchema)` to create a new message.
 */
export const APIKeySecuritySchemeSchema: GenMessage<APIKeySecurityScheme> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 23);

/**
 * An HTTP authentication scheme, such as Bearer or Basic.
 *
 * @generated from message a2a.v1.HTTPAuthSecurityScheme
 */
export type HTTPAuthSecurityScheme = Message$1<"a2a.v1.HTTPAuthSecurityScheme"> & {
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
 * Describes the message a2a.v1.HTTPAuthSecurityScheme.
 * Use `create(HTTPAuthSecuritySchemeSchema)` to create a new message.
 */
export const HTTPAuthSecuritySchemeSchema: GenMessage<HTTPAuthSecurityScheme> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 24);

/**
 * OAuth 2.0.
 *
 * @generated from message a2a.v1.OAuth2SecurityScheme
 */
export type OAuth2SecurityScheme = Message$1<"a2a.v1.OAuth2SecurityScheme"> & {
  /**
   * @generated from field: string description = 1;
   */
  description: string;

  /**
   * @generated from field: a2a.v1.OAuthFlows flows = 2;
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
 * Describes the message a2a.v1.OAuth2SecurityScheme.
 * Use `create(OAuth2SecuritySchemeSchema)` to create a new message.
 */
export const OAuth2SecuritySchemeSchema: GenMessage<OAuth2SecurityScheme> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 25);

/**
 * OpenID Connect.
 *
 * @generated from message a2a.v1.OpenIdConnectSecurityScheme
 */
export type OpenIdConnectSecurityScheme = Message$1<"a2a.v1.OpenIdConnectSecurityScheme"> & {
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
 * Describes the message a2a.v1.OpenIdConnectSecurityScheme.
 * Use `create(OpenIdConnectSecuritySchemeSchema)` to create a new message.
 */
export const OpenIdConnectSecuritySchemeSchema: GenMessage<OpenIdConnectSecurityScheme> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 26);

/**
 * TLS with a client certificate.
 *
 * @generated from message a2a.v1.MutualTlsSecurityScheme
 */
export type MutualTlsSecurityScheme = Message$1<"a2a.v1.MutualTlsSecurityScheme"> & {
  /**
   * @generated from field: string description = 1;
   */
  description: string;
};

/**
 * Describes the message a2a.v1.MutualTlsSecurityScheme.
 * Use `create(MutualTlsSecuritySchemeSchema)` to create a new message.
 */
export const MutualTlsSecuritySchemeSchema: GenMessage<MutualTlsSecurityScheme> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 27);

/**
 * The OAuth 2.0 flow that the agent accepts.
 *
 * @generated from message a2a.v1.OAuthFlows
 */
export type OAuthFlows = Message$1<"a2a.v1.OAuthFlows"> & {
  /**
   * @generated from oneof a2a.v1.OAuthFlows.flow
   */
  flow: {
    /**
     * @generated from field: a2a.v1.AuthorizationCodeOAuthFlow authorization_code = 1;
     */
    value: AuthorizationCodeOAuthFlow;
    case: "authorizationCode";
  } | {
    /**
     * @generated from field: a2a.v1.ClientCredentialsOAuthFlow client_credentials = 2;
     */
    value: ClientCredentialsOAuthFlow;
    case: "clientCredentials";
  } | {
    /**
     * @generated from field: a2a.v1.ImplicitOAuthFlow implicit = 3;
     */
    value: ImplicitOAuthFlow;
    case: "implicit";
  } | {
    /**
     * @generated from field: a2a.v1.PasswordOAuthFlow password = 4;
     */
    value: PasswordOAuthFlow;
    case: "password";
  } | { case: undefined; value?: undefined };
};

/**
 * Describes the message a2a.v1.OAuthFlows.
 * Use `create(OAuthFlowsSchema)` to create a new message.
 */
export const OAuthFlowsSchema: GenMessage<OAuthFlows> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 28);

/**
 * The authorization code grant.
 *
 * @generated from message a2a.v1.AuthorizationCodeOAuthFlow
 */
export type AuthorizationCodeOAuthFlow = Message$1<"a2a.v1.AuthorizationCodeOAuthFlow"> & {
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
};

/**
 * Describes the message a2a.v1.AuthorizationCodeOAuthFlow.
 * Use `create(AuthorizationCodeOAuthFlowSchema)` to create a new message.
 */
export const AuthorizationCodeOAuthFlowSchema: GenMessage<AuthorizationCodeOAuthFlow> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 29);

/**
 * The client credentials grant.
 *
 * @generated from message a2a.v1.ClientCredentialsOAuthFlow
 */
export type ClientCredentialsOAuthFlow = Message$1<"a2a.v1.ClientCredentialsOAuthFlow"> & {
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
 * Describes the message a2a.v1.ClientCredentialsOAuthFlow.
 * Use `create(ClientCredentialsOAuthFlowSchema)` to create a new message.
 */
export const ClientCredentialsOAuthFlowSchema: GenMessage<ClientCredentialsOAuthFlow> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 30);

/**
 * The implicit grant, which is deprecated.
 *
 * @generated from message a2a.v1.ImplicitOAuthFlow
 */
export type ImplicitOAuthFlow = Message$1<"a2a.v1.ImplicitOAuthFlow"> & {
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
 * Describes the message a2a.v1.ImplicitOAuthFlow.
 * Use `create(ImplicitOAuthFlowSchema)` to create a new message.
 */
export const ImplicitOAuthFlowSchema: GenMessage<ImplicitOAuthFlow> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 31);

/**
 * The resource owner password grant, which is deprecated.
 *
 * @generated from message a2a.v1.PasswordOAuthFlow
 */
export type PasswordOAuthFlow = Message$1<"a2a.v1.PasswordOAuthFlow"> & {
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
 * Describes the message a2a.v1.PasswordOAuthFlow.
 * Use `create(PasswordOAuthFlowSchema)` to create a new message.
 */
export const PasswordOAuthFlowSchema: GenMessage<PasswordOAuthFlow> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 32);

/**
 * A message for the agent.
 *
 * @generated from message a2a.v1.SendMessageRequest
 */
export type SendMessageRequest = Message$1<"a2a.v1.SendMessageRequest"> & {
  /**
   * What to say to the agent. JSON calls it message.
   *
   * @generated from field: a2a.v1.Message request = 1 [json_name = "message"];
   */
  request?: Message | undefined;

  /**
   * @generated from field: a2a.v1.SendMessageConfiguration configuration = 2;
   */
  configuration?: SendMessageConfiguration | undefined;

  /**
   * Free for applications and extensions to use.
   *
   * @generated from field: google.protobuf.Struct metadata = 3;
   */
  metadata?: JsonObject | undefined;
};

/**
 * Describes the message a2a.v1.SendMessageRequest.
 * Use `create(SendMessageRequestSchema)` to create a new message.
 */
export const SendMessageRequestSchema: GenMessage<SendMessageRequest> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 33);

/**
 * Asks for one task.
 *
 * @generated from message a2a.v1.GetTaskRequest
 */
export type GetTaskRequest = Message$1<"a2a.v1.GetTaskRequest"> & {
  /**
   * tasks/{id}.
   *
   * @generated from field: string name = 1;
   */
  name: string;

  /**
   * How many of the latest messages the returned task may carry; 0 means none.
   *
   * @generated from field: int32 history_length = 2;
   */
  historyLength: number;
};

/**
 * Describes the message a2a.v1.GetTaskRequest.
 * Use `create(GetTaskRequestSchema)` to create a new message.
 */
export const GetTaskRequestSchema: GenMessage<GetTaskRequest> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 34);

/**
 * Asks the agent to stop working on a task.
 *
 * @generated from message a2a.v1.CancelTaskRequest
 */
export type CancelTaskRequest = Message$1<"a2a.v1.CancelTaskRequest"> & {
  /**
   * tasks/{id}.
   *
   * @generated from field: string name = 1;
   */
  name: string;
};

/**
 * Describes the message a2a.v1.CancelTaskRequest.
 * Use `create(CancelTaskRequestSchema)` to create a new message.
 */
export const CancelTaskRequestSchema: GenMessage<CancelTaskRequest> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 35);

/**
 * Asks for one push notification configuration.
 *
 * @generated from message a2a.v1.GetTaskPushNotificationConfigRequest
 */
export type GetTaskPushNotificationConfigRequest = Message$1<"a2a.v1.GetTaskPushNotificationConfigRequest"> & {
  /**
   * tasks/{id}/pushNotificationConfigs/{config}.
   *
   * @generated from field: string name = 1;
   */
  name: string;
};

/**
 * Describes the message a2a.v1.GetTaskPushNotificationConfigRequest.
 * Use `create(GetTaskPushNotificationConfigRequestSchema)` to create a new message.
 */
export const GetTaskPushNotificationConfigRequestSchema: GenMessage<GetTaskPushNotificationConfigRequest> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 36);

/**
 * Removes a push notification configuration.
 *
 * @generated from message a2a.v1.DeleteTaskPushNotificationConfigRequest
 */
export type DeleteTaskPushNotificationConfigRequest = Message$1<"a2a.v1.DeleteTaskPushNotificationConfigRequest"> & {
  /**
   * tasks/{id}/pushNotificationConfigs/{config}.
   *
   * @generated from field: string name = 1;
   */
  name: string;
};

/**
 * Describes the message a2a.v1.DeleteTaskPushNotificationConfigRequest.
 * Use `create(DeleteTaskPushNotificationConfigRequestSchema)` to create a new message.
 */
export const DeleteTaskPushNotificationConfigRequestSchema: GenMessage<DeleteTaskPushNotificationConfigRequest> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 37);

/**
 * Registers a push notification configuration.
 *
 * @generated from message a2a.v1.CreateTaskPushNotificationConfigRequest
 */
export type CreateTaskPushNotificationConfigRequest = Message$1<"a2a.v1.CreateTaskPushNotificationConfigRequest"> & {
  /**
   * tasks/{id}.
   *
   * @generated from field: string parent = 1;
   */
  parent: string;

  /**
   * @generated from field: string config_id = 2;
   */
  configId: string;

  /**
   * @generated from field: a2a.v1.TaskPushNotificationConfig config = 3;
   */
  config?: TaskPushNotificationConfig | undefined;
};

/**
 * Describes the message a2a.v1.CreateTaskPushNotificationConfigRequest.
 * Use `create(CreateTaskPushNotificationConfigRequestSchema)` to create a new message.
 */
export const CreateTaskPushNotificationConfigRequestSchema: GenMessage<CreateTaskPushNotificationConfigRequest> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 38);

/**
 * Asks for the events of a task that is under way.
 *
 * @generated from message a2a.v1.TaskSubscriptionRequest
 */
export type TaskSubscriptionRequest = Message$1<"a2a.v1.TaskSubscriptionRequest"> & {
  /**
   * tasks/{id}.
   *
   * @generated from field: string name = 1;
   */
  name: string;
};

/**
 * Describes the message a2a.v1.TaskSubscriptionRequest.
 * Use `create(TaskSubscriptionRequestSchema)` to create a new message.
 */
export const TaskSubscriptionRequestSchema: GenMessage<TaskSubscriptionRequest> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 39);

/**
 * Asks for the push notification configurations of one task.
 *
 * @generated from message a2a.v1.ListTaskPushNotificationConfigRequest
 */
export type ListTaskPushNotificationConfigRequest = Message$1<"a2a.v1.ListTaskPushNotificationConfigRequest"> & {
  /**
   * tasks/{id}.
   *
   * @generated from field: string parent = 1;
   */
  parent: string;

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
};

/**
 * Describes the message a2a.v1.ListTaskPushNotificationConfigRequest.
 * Use `create(ListTaskPushNotificationConfigRequestSchema)` to create a new message.
 */
export const ListTaskPushNotificationConfigRequestSchema: GenMessage<ListTaskPushNotificationConfigRequest> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 40);

/**
 * Asks for the agent's card.
 *
 * @generated from message a2a.v1.GetAgentCardRequest
 */
export type GetAgentCardRequest = Message$1<"a2a.v1.GetAgentCardRequest"> & {
};

/**
 * Describes the message a2a.v1.GetAgentCardRequest.
 * Use `create(GetAgentCardRequestSchema)` to create a new message.
 */
export const GetAgentCardRequestSchema: GenMessage<GetAgentCardRequest> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 41);

/**
 * The answer to a send: a task, or a message where no task was needed.
 *
 * @generated from message a2a.v1.SendMessageResponse
 */
export type SendMessageResponse = Message$1<"a2a.v1.SendMessageResponse"> & {
  /**
   * @generated from oneof a2a.v1.SendMessageResponse.payload
   */
  payload: {
    /**
     * @generated from field: a2a.v1.Task task = 1;
     */
    value: Task;
    case: "task";
  } | {
    /**
     * JSON calls it message.
     *
     * @generated from field: a2a.v1.Message msg = 2 [json_name = "message"];
     */
    value: Message;
    case: "msg";
  } | { case: undefined; value?: undefined };
};

/**
 * Describes the message a2a.v1.SendMessageResponse.
 * Use `create(SendMessageResponseSchema)` to create a new message.
 */
export const SendMessageResponseSchema: GenMessage<SendMessageResponse> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 42);

/**
 * One event of a stream.
 *
 * @generated from message a2a.v1.StreamResponse
 */
export type StreamResponse = Message$1<"a2a.v1.StreamResponse"> & {
  /**
   * @generated from oneof a2a.v1.StreamResponse.payload
   */
  payload: {
    /**
     * @generated from field: a2a.v1.Task task = 1;
     */
    value: Task;
    case: "task";
  } | {
    /**
     * JSON calls it message.
     *
     * @generated from field: a2a.v1.Message msg = 2 [json_name = "message"];
     */
    value: Message;
    case: "msg";
  } | {
    /**
     * @generated from field: a2a.v1.TaskStatusUpdateEvent status_update = 3;
     */
    value: TaskStatusUpdateEvent;
    case: "statusUpdate";
  } | {
    /**
     * @generated from field: a2a.v1.TaskArtifactUpdateEvent artifact_update = 4;
     */
    value: TaskArtifactUpdateEvent;
    case: "artifactUpdate";
  } | { case: undefined; value?: undefined };
};

/**
 * Describes the message a2a.v1.StreamResponse.
 * Use `create(StreamResponseSchema)` to create a new message.
 */
export const StreamResponseSchema: GenMessage<StreamResponse> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 43);

/**
 * One page of push notification configurations.
 *
 * @generated from message a2a.v1.ListTaskPushNotificationConfigResponse
 */
export type ListTaskPushNotificationConfigResponse = Message$1<"a2a.v1.ListTaskPushNotificationConfigResponse"> & {
  /**
   * @generated from field: repeated a2a.v1.TaskPushNotificationConfig configs = 1;
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
 * Describes the message a2a.v1.ListTaskPushNotificationConfigResponse.
 * Use `create(ListTaskPushNotificationConfigResponseSchema)` to create a new message.
 */
export const ListTaskPushNotificationConfigResponseSchema: GenMessage<ListTaskPushNotificationConfigResponse> = /*@__PURE__*/
  messageDesc(file_a2a_v1_a2a, 44);

/**
 * Where a task is in its life. COMPLETED, FAILED, CANCELED and REJECTED are final; INPUT_REQUIRED and AUTH_REQUIRED
 * wait for the caller.
 *
 * @generated from enum a2a.v1.TaskState
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
   * Stopped before its end. Version 1.0 writes it with one L.
   *
   * @generated from enum value: TASK_STATE_CANCELLED = 5;
   */
  CANCELLED: 5,

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
  5: 'CANCELLED',
  6: 'INPUT_REQUIRED',
  7: 'REJECTED',
  8: 'AUTH_REQUIRED',
} as const;
export type TaskState = Extract<(typeof TaskState)[keyof typeof TaskState], number>;

/**
 * Describes the enum a2a.v1.TaskState.
 */
export const TaskStateSchema: GenEnum<TaskState> = /*@__PURE__*/
  enumDesc(file_a2a_v1_a2a, 0);

/**
 * Who speaks in a message.
 *
 * @generated from enum a2a.v1.Role
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
 * Describes the enum a2a.v1.Role.
 */
export const RoleSchema: GenEnum<Role> = /*@__PURE__*/
  enumDesc(file_a2a_v1_a2a, 1);

/**
 * The operations of an agent.
 *
 * @generated from service a2a.v1.A2AService
 */
export const A2AService: GenService<{
  /**
   * Sends a message and waits for the outcome, unless told otherwise.
   *
   * @generated from rpc a2a.v1.A2AService.SendMessage
   */
  sendMessage: {
    methodKind: "unary";
    input: typeof SendMessageRequestSchema;
    output: typeof SendMessageResponseSchema;
  },
  /**
   * Sends a message and streams what happens from there on.
   *
   * @generated from rpc a2a.v1.A2AService.SendStreamingMessage
   */
  sendStreamingMessage: {
    methodKind: "server_streaming";
    input: typeof SendMessageRequestSchema;
    output: typeof StreamResponseSchema;
  },
  /**
   * Returns one task.
   *
   * @generated from rpc a2a.v1.A2AService.GetTask
   */
  getTask: {
    methodKind: "unary";
    input: typeof GetTaskRequestSchema;
    output: typeof TaskSchema;
  },
  /**
   * Asks the agent to stop working on a task, and returns the task.
   *
   * @generated from rpc a2a.v1.A2AService.CancelTask
   */
  cancelTask: {
    methodKind: "unary";
    input: typeof CancelTaskRequestSchema;
    output: typeof TaskSchema;
  },
  /**
   * Streams the events of a task that has not ended, the task itself first.
   *
   * @generated from rpc a2a.v1.A2AService.TaskSubscription
   */
  taskSubscription: {
    methodKind: "server_streaming";
    input: typeof TaskSubscriptionRequestSchema;
    output: typeof StreamResponseSchema;
  },
  /**
   * Registers a webhook for a task.
   *
   * @generated from rpc a2a.v1.A2AService.CreateTaskPushNotificationConfig
   */
  createTaskPushNotificationConfig: {
    methodKind: "unary";
    input: typeof CreateTaskPushNotificationConfigRequestSchema;
    output: typeof TaskPushNotificationConfigSchema;
  },
  /**
   * Returns one webhook registration of a task.
   *
   * @generated from rpc a2a.v1.A2AService.GetTaskPushNotificationConfig
   */
  getTaskPushNotificationConfig: {
    methodKind: "unary";
    input: typeof GetTaskPushNotificationConfigRequestSchema;
    output: typeof TaskPushNotificationConfigSchema;
  },
  /**
   * Returns the webhook registrations of a task.
   *
   * @generated from rpc a2a.v1.A2AService.ListTaskPushNotificationConfig
   */
  listTaskPushNotificationConfig: {
    methodKind: "unary";
    input: typeof ListTaskPushNotificationConfigRequestSchema;
    output: typeof ListTaskPushNotificationConfigResponseSchema;
  },
  /**
   * Returns the agent's card.
   *
   * @generated from rpc a2a.v1.A2AService.GetAgentCard
   */
  getAgentCard: {
    methodKind: "unary";
    input: typeof GetAgentCardRequestSchema;
    output: typeof AgentCardSchema;
  },
  /**
   * Removes a webhook registration from a task.
   *
   * @generated from rpc a2a.v1.A2AService.DeleteTaskPushNotificationConfig
   */
  deleteTaskPushNotificationConfig: {
    methodKind: "unary";
    input: typeof DeleteTaskPushNotificationConfigRequestSchema;
    output: typeof EmptySchema;
  },
}> = /*@__PURE__*/
  serviceDesc(file_a2a_v1_a2a, 0);

