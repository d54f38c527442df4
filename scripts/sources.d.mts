export const root: string;
export function sourcesState(): string;
