/** Builds the local inbox's page into a folder: index.html, inbox.js, inbox.css. */
export function buildPage(outDir: string): Promise<void>;
