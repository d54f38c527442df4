import { describe, expect, it } from "vitest";
import { asksForSecret } from "../../src/core/secrets.ts";

describe("asksForSecret", () => {
  it.each([
    "Please paste the API key for staging",
    "What is the database password?",
    "Send me the new GitHub token so that I can push",
    "Type the admin password in the reply",
    "Can you give me the Stripe secret key?",
    "Enter the AWS access token",
    "Send the API key",
    "Provide the private key for signing",
    "What's the root password on db-1?",
    "Please share your SSH key here",
    "I need the private key to sign",
    "Reply with the access token",
    "Could you send the deploy key?",
    "Paste the contents of the private key",
    "Enter your password",
    "Tell me the passphrase of the release key",
    "What are the credentials for staging?",
    "Enter the production API key in the chat",
  ])("%s: asks for one", (text) => {
    expect(asksForSecret(text)).toBe(true);
  });

  it.each([
    "Rotate the API key on staging tonight?",
    "Should passwords be hashed with argon2 or bcrypt?",
    "Which password policy applies to guests?",
    "Is it all right that the private key is read from the vault?",
    "Send the access token as a cookie",
    "Send the API key in a header",
    "Should users enter the password twice?",
    "What is the password policy?",
    "What is the minimum password length?",
    "What is the best way to store the password?",
    "What is the API key used for?",
    "Token refresh strategy for the auth middleware?",
    "Where should users enter the password?",
    "Store the secret in the vault",
    "Replace the password prompt with a magic link",
    "Provide the secret through Vault",
    "Drop password login and use passkeys",
    "Two-line diff; a stolen token works for a month",
    "Enter key handling in the editor",
    "Type-safe API key wrapper",
    "Ask the user for the password at each start",
    "Add a form in which people enter their password",
    "Reset the password and send a mail",
    "Share the session token between tabs",
  ])("%s: only names one", (text) => {
    expect(asksForSecret(text)).toBe(false);
  });

  it.each(["enter a ", "please give ", "what is the ", "send me ", "the password ", "to enter "])(
    "ends at once on a title made of %j",
    (part) => {
      expect(asksForSecret(`${part.repeat(20_000)}x`)).toBe(false);
    },
    1_000,
  );
});
