// Checks a proof that an entry is in the log of a signed checkpoint, with Go's own note and Merkle tree packages: they know nothing of
// paysession. Standard input has the proof (C2SP tlog-proof); the arguments are the verifier key and the entry's hash.
package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func main() {
	if err := check(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("proved")
}

func check(verifierKey, entryHash string) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	head, checkpoint, _ := strings.Cut(string(text), "\n\n")
	verifier, err := note.NewVerifier(verifierKey)
	if err != nil {
		return err
	}
	signed, err := note.Open([]byte(checkpoint), note.VerifierList(verifier))
	if err != nil {
		return err
	}
	lines := strings.Split(signed.Text, "\n")
	if len(lines) < 3 || lines[0] != verifier.Name() {
		return fmt.Errorf("the checkpoint is another log's")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return err
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		return err
	}
	parts := strings.Split(head, "\n")
	if parts[0] != "c2sp.org/tlog-proof@v1" {
		return fmt.Errorf("not a proof: %q", parts[0])
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(parts[1], "index "), 10, 64)
	if err != nil {
		return err
	}
	var proof tlog.RecordProof
	for _, line := range parts[2:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return err
		}
		proof = append(proof, hash)
	}
	data, err := hex.DecodeString(entryHash)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, size, root, index, tlog.RecordHash(data))
}
