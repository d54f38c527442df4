import { StoreError } from "../domain/store.ts";

type Fault = { readonly codes: readonly string[]; readonly code: string; readonly says: string };

/** By the beginning of the code that SQLite or the operating system gives; the first that fits. */
const faults: readonly Fault[] = [
  {
    codes: ["SQLITE_FULL", "ENOSPC", "EDQUOT"],
    code: "disk-full",
    says: "the disk is full and nothing was written: free some space, then do the same again",
  },
  {
    codes: ["SQLITE_READONLY", "EROFS"],
    code: "read-only",
    says: "the store may only be read and nothing was written: make its folder and disk writable, then do the same again",
  },
  {
    codes: ["SQLITE_IOERR", "EIO"],
    code: "io",
    says: "the disk failed, and the change may or may not have been written: look after the disk, then do the same again, which is safe",
  },
  {
    codes: ["SQLITE_BUSY", "SQLITE_LOCKED"],
    code: "busy",
    says: "another process kept the store locked for too long and nothing was written: do the same again in a moment",
  },
  {
    codes: ["SQLITE_CORRUPT", "SQLITE_NOTADB"],
    code: "corrupt",
    says: "the store's file is damaged or is no database: stop owlpost, keep the file aside, and put a backup in its place",
  },
  {
    codes: ["SQLITE_CONSTRAINT"],
    code: "conflict",
    says: "the change does not fit what is stored and nothing was written: look at the present state, then decide again",
  },
  {
    codes: ["SQLITE_NOMEM"],
    code: "no-memory",
    says: "there was not enough memory and nothing was written: free some, then do the same again",
  },
  {
    codes: ["SQLITE_CANTOPEN", "EACCES", "EPERM", "ENOENT", "ENOTDIR", "EISDIR", "EMFILE", "ENFILE", "ELOOP"],
    code: "cannot-open",
    says: "the store's file cannot be opened: check that its folder exists and may be written, and that enough files may be open",
  },
];

/**
 * A failure of SQLite or of the operating system as a named fault. Everything else, above all what a `decide`
 * threw, comes back as it is.
 */
export function storeFault(error: unknown, path: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : driverCode(error);
  if (code === undefined) return error;
  if (code === "closed") return new StoreError(code, "the store was closed: open it again", error);
  const fault = faults.find((each) => each.codes.some((prefix) => code.startsWith(prefix)));
  if (fault) return new StoreError(fault.code, `${fault.says} (${path}, ${code})`, error);
  if (!code.startsWith("SQLITE_")) return error;
  return new StoreError("store", `the store failed: ${error.message} (${path}, ${code})`, error);
}

/** The driver tells two faults by their text alone. */
function driverCode(error: Error): string | undefined {
  if (error.message === "The database connection is not open") return "closed";
  if (error.message.startsWith("Cannot open database because the directory")) return "ENOENT";
  return undefined;
}
