/**
 * The session creation request (specification, "Session creation request"), as a merchant sends it. The service ignores unknown
 * fields (contract A20), but paysession refuses `metadata` and a field that nearly has a known name. Lengths count Unicode code
 * points. An optional field may be absent. These are types, not interfaces, so that a request can be passed where a JSON object is
 * expected.
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
 * These requests do not compile, because they can never become a payment session: an EFT credit (contract A11), an EFT that does
 * not say whether it is guaranteed (A15), a guarantee without the payor's address (A27), a payee of a regular EFT (A31).
 * {@link validateSessionRequest} checks the other rules, too, and narrows a value read from elsewhere to this type.
 */
export type SessionRequest =
  UnguaranteedDebit | GuaranteedDebit | DebitWithAddress | UnguaranteedETransfer | ETransferWithAddress;

// Each type is as wide as possible, so that a program may decide on type, direction or guarantee at run time. For any mistake, the
// compiler's message may be about only one of these types, and say that the address is missing.
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

/** The fields of a request, with the values that each may have in any kind. */
export type SessionRequestFields = {
  /** `EFT` from the payor's bank account, or `e-Transfer` (contract A11). */
  type: 'EFT' | 'e-Transfer';
  /** `DEBIT` takes money from the payor; `CREDIT` sends it to the payor, with e-Transfer only (contract A11). */
  direction: 'DEBIT' | 'CREDIT';
  /** Canadian dollars, the only currency (contract A12). @default 'CAD' */
  currency?: 'CAD' | undefined;
  /**
   * In dollars: 0.01 to 2^46, at most two decimals, and within the bounds of `options.limits` or else of the client (contract
   * A13, A14). If the amount is absent or `null`, the payor enters it.
   */
  amount?: number | null | undefined;
  /**
   * The merchant's own reference: 1 to 36 of `a-z A-Z 0-9 -` for a regular EFT (contract A32), otherwise 1 to 100 characters
   * (contract A38).
   */
  referenceId?: string | null | undefined;
  /** The options of the session; required, because they contain `guarantee` (contract A15). */
  options: SessionRequestOptions;
  /** The payor, or the person that a credit pays. */
  payor: Payor;
  /**
   * The account where the money settles (contract A35). A regular EFT has no payee (contract A31).
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
  /** Required: paysession refuses even an e-Transfer without it (contract A15). */
  guarantee?:
    | {
        /** True if the payment is guaranteed; then `payor.address` is required (contract A27). */
        enable: boolean;
      }
    | undefined;
  /** The mails that the payor receives, and their language (contract A16). */
  notificationPreferences?: NotificationPreferences | undefined;
  /** True if the hosted flow shows the consent screen. `null` means the same as an absent field (contract A16, A60). */
  showConsentScreen?: boolean | null | undefined;
  /** The bounds of this session's amount, inclusive, in place of the client's (contract A14). */
  limits?: AmountLimits | undefined;
  /**
   * True if the payor may change a preset amount. A preset amount of a guaranteed EFT never changes (contract A16, A40).
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

/** Inclusive bounds in dollars; `minimumAmount` must not be above `maximumAmount`. `null` leaves the client's bound. */
export type AmountLimits = {
  /** The lowest amount, in dollars; not above `maximumAmount`. @default the client's */
  minimumAmount?: number | null | undefined;
  /** The highest amount, in dollars. @default the client's */
  maximumAmount?: number | null | undefined;
};

/** The way the payor returns to the merchant's page, and the page's addresses (contract A17). */
export type RedirectPreferences = {
  /**
   * `JsEvents` if the page that embeds the flow receives events; `RedirectUri` if the browser goes to a URL. @default 'JsEvents'
   */
  mode?: 'JsEvents' | 'RedirectUri' | undefined;
  /**
   * The page for the payor after success: an absolute http or https URI of at most 2048 characters, without user, password, white
   * space, backslashes or invisible characters.
   */
  urlSuccess?: string | null | undefined;
  /** The page for the payor after leaving without success. The rules of `urlSuccess` apply. */
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
  /** The date of birth as `yy-MM-dd`, or with a four-digit year; a date that exists. */
  birthDate?: string | null | undefined;
  /** The payor's address; required if a guarantee is enabled (contract A27). */
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

/** The destination of the money. */
export type Payee = {
  /** The account that receives the money. */
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
