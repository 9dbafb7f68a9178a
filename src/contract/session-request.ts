/**
 * The request that opens a payment session (specification, "Session creation request").
 *
 * The service ignores unknown fields (contract A20). paysession refuses `metadata` in a request, and a field whose name is close
 * to a known name. Lengths count Unicode code points.
 */

/** The thirteen provinces and territories (contract A26). */
export const PROVINCES = [
  'AB',
  'BC',
  'MB',
  'NB',
  'NL',
  'NT',
  'NS',
  'NU',
  'ON',
  'PE',
  'QC',
  'SK',
  'YT',
] as const;

/**
 * The request that a merchant sends to open a payment session.
 *
 * These requests do not compile, because the service always refuses them (contract rules in docs/contract.md):
 *
 * - an EFT credit (A11)
 * - an EFT without `guarantee` (A15)
 * - a guarantee without the payor's address (A27)
 * - a regular EFT with a payee (A31)
 *
 * {@link validateSessionRequest} checks all rules at run time. It also narrows a value of unknown type to this type.
 */
export type SessionRequest =
  | UnguaranteedDebit
  | GuaranteedDebit
  | DebitWithAddress
  | UnguaranteedETransfer
  | ETransferWithAddress;

// Each type is as wide as possible, so that a program may choose the type, direction or guarantee at run time. The
// compiler's message about a mistake may concern only one of these types, and may misleadingly say that the address is
// missing.
type UnguaranteedDebit = Debit & Guarantee<false> & WithoutPayee;
type GuaranteedDebit = Debit & Guarantee<true> & WithAddress;
type DebitWithAddress = Debit & Guarantee<boolean> & WithAddress & WithoutPayee;
type UnguaranteedETransfer = ETransfer & { options: { guarantee?: { enable: false } | undefined } };
type ETransferWithAddress = ETransfer & WithAddress;

type Debit = SessionRequestFields & { direction: 'DEBIT' };
type ETransfer = SessionRequestFields & { type: 'e-Transfer' };
type Guarantee<Enable extends boolean> = { options: { guarantee: { enable: Enable } } };
type WithAddress = { payor: { address: Address } };
type WithoutPayee = { payee?: null | undefined };

/** The fields of a request of any kind. */
export type SessionRequestFields = {
  /** `EFT`, a transfer from the payor's bank account, or `e-Transfer` (contract A11). */
  type: 'EFT' | 'e-Transfer';
  /** `DEBIT` takes money from the payor. `CREDIT` sends money to the payor, and needs the type `e-Transfer` (contract A11). */
  direction: 'DEBIT' | 'CREDIT';
  /** Canadian dollars, the only currency (contract A12). @default 'CAD' */
  currency?: 'CAD' | undefined;
  /**
   * The amount in dollars: 0.01 to 2^46, with at most two decimals (contract A13). It must be within the bounds of
   * `options.limits`, which default to the client's bounds (contract A14). If the amount is absent or `null`, the payor enters
   * it.
   */
  amount?: number | null | undefined;
  /**
   * The merchant's own reference. For a regular EFT: 1 to 36 characters of `a-z A-Z 0-9 -` (contract A32). Otherwise: 1 to 100
   * characters (contract A38).
   */
  referenceId?: string | null | undefined;
  /** The options of the session. Required, because `guarantee` is required (contract A15). */
  options: SessionRequestOptions;
  /** The person who pays, or who receives the money of a `CREDIT`. */
  payor: Payor;
  /**
   * The account to which the money settles (contract A35). A regular EFT must not have a payee (contract A31).
   * @default the client's settlement account
   */
  payee?: Payee | null | undefined;
  /**
   * The same as `payee.account.accountLabel`, in another place that the service accepts: at most 100 characters (contract A39).
   */
  accountLabel?: string | null | undefined;
};

/** Options of a session. */
export type SessionRequestOptions = {
  /** The guarantee. Required by paysession, even for an e-Transfer (contract A15). */
  guarantee?:
    | {
        /** True if the payment is guaranteed. A guaranteed payment requires `payor.address` (contract A27). */
        enable: boolean;
      }
    | undefined;
  /** The mails that the payor receives, and their language (contract A16). */
  notificationPreferences?: NotificationPreferences | undefined;
  /** True if the hosted flow shows the consent screen. `null` means the same as an absent field (contract A16, A60). */
  showConsentScreen?: boolean | null | undefined;
  /**
   * The inclusive bounds of this session's amount. They replace the bounds that the service has configured for the client
   * (contract A14).
   */
  limits?: AmountLimits | undefined;
  /**
   * True if the payor may change the request's amount (contract A16). The payor can never change the amount of a guaranteed EFT
   * (contract A40).
   * @default true without an amount, else false
   */
  amountModification?: boolean | undefined;
  /** The way the payor returns to the merchant's page, and the page's addresses (contract A17). */
  redirectPreferences?: RedirectPreferences | undefined;
};

/** The mails that the payor receives, and their language (contract A16). */
export type NotificationPreferences = {
  /** The language of the mails and of the hosted flow. @default 'EN' */
  language?: 'EN' | 'FR' | undefined;
  /** True if the service mails the link of an e-Transfer to the payor (contract A45). @default false */
  sendNetworkLink?: boolean | undefined;
};

/** The inclusive bounds of an amount, in dollars. `null` means the client's bound. */
export type AmountLimits = {
  /** The lowest amount, in dollars. Must not be above `maximumAmount`. @default the client's minimum */
  minimumAmount?: number | null | undefined;
  /** The highest amount, in dollars. @default the client's maximum */
  maximumAmount?: number | null | undefined;
};

/** The way the payor returns to the merchant's page, and the page's addresses (contract A17). */
export type RedirectPreferences = {
  /**
   * The way the payor returns. With `JsEvents`, the page that embeds the hosted flow receives events. With `RedirectUri`, the
   * browser goes to a URL.
   * @default 'JsEvents'
   */
  mode?: 'JsEvents' | 'RedirectUri' | undefined;
  /**
   * The page that the payor sees after success: an absolute http or https URI of at most 2048 characters. It must not contain a
   * user, a password, white space, backslashes or invisible characters.
   */
  urlSuccess?: string | null | undefined;
  /** The page that the payor sees after leaving without success. The rules of `urlSuccess` apply. */
  urlExit?: string | null | undefined;
};

/** The person who pays, or is paid (contract A18, A19). */
export type Payor = {
  /** The first name: 1 to 100 characters, not blank. */
  firstName: string;
  /** The last name: 1 to 100 characters, not blank. */
  lastName: string;
  /** An email address of at most 100 characters. */
  email: string;
  /** The middle name: at most 100 characters. */
  middleName?: string | null | undefined;
  /** The payor's occupation. */
  occupation?: string | null | undefined;
  /** The date of birth in the form `yy-MM-dd` or `yyyy-MM-dd`. */
  birthDate?: string | null | undefined;
  /** The payor's address. Required if a guarantee is enabled (contract A27). */
  address?: Address | null | undefined;
};

/** A Canadian postal address (contract A25, A26). */
export type Address = {
  /** Street and number: 1 to 100 characters, not blank. */
  addressLine1: string;
  /** The second line of the address. */
  addressLine2?: string | null | undefined;
  /** Apartment or unit. */
  unit?: string | null | undefined;
  /** The city: 1 to 100 characters, not blank. */
  city: string;
  /** One of the thirteen provinces and territories (contract A26). */
  province: (typeof PROVINCES)[number];
  /** Canada, the only country (contract A26). */
  country: 'CA';
  /** The postal code: exactly 6 characters without spaces, such as `M5H2N2`. */
  postalCode: string;
};

/** The payee: where the money settles (contract A35). */
export type Payee = {
  /** The bank account to which the money settles. */
  account: PayeeAccount;
  /**
   * The same as `payee.account.accountLabel`, in another place that the service accepts: at most 100 characters (contract A39).
   */
  accountLabel?: string | null | undefined;
};

/** A Canadian bank account. All numbers are text, so that leading zeros stay (contract A37). */
export type PayeeAccount = {
  /** The account number: 7 to 12 digits. */
  accountNumber: string;
  /** The transit number: 5 digits. */
  transitNumber: string;
  /** The institution code: 3 digits. */
  institutionCode: string;
  /** The account's name as the payor sees it: at most 100 characters (contract A39). */
  accountLabel?: string | null | undefined;
};
