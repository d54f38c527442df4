/** What GitHub's REST API tells, as far as it is looked at. Ids are counted as numbers; GitHub's are far from where that ends. */

export type Account = { readonly id: number; readonly login: string; readonly type: string };

/** A comment on an issue. */
export type Comment = {
  readonly id: number;
  readonly node_id?: string;
  readonly html_url?: string;
  readonly body?: string;
  readonly user: Account | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly performed_via_github_app?: unknown;
};

export type Repository = {
  readonly full_name: string;
  readonly private: boolean;
  readonly visibility?: string;
  readonly archived: boolean;
  readonly has_issues: boolean;
  readonly permissions?: { readonly [Right in "admin" | "maintain" | "push" | "triage" | "pull"]?: boolean };
};

export type IssueAsTold = {
  readonly html_url: string;
  readonly title: string;
  readonly state: string;
  readonly locked: boolean;
};

export type Collaborator = { readonly permission?: string; readonly role_name?: string };

export type Limits = {
  readonly resources: {
    readonly core: { readonly limit: number; readonly remaining: number; readonly reset: number };
  };
};

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * What of Octokit is used. Its own types know every route that GitHub has, and to check them takes the compiler as long
 * as all the rest of owlpost.
 */
export type Rest = {
  request<Data>(
    route: string,
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly data: Data; readonly headers: Headers }>;
  graphql<Data>(query: string, variables: Readonly<Record<string, unknown>>): Promise<Data>;
};
