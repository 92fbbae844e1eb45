# Formula of tars for Homebrew, made by scripts/release/pack from packaging/homebrew/tars.rb.
class Tars < Formula
  desc "Local memory for people and their agents over a vault of markdown"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_linux do
    # @if x86_64-unknown-linux-gnu
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/tars-@VERSION@-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-gnu@"
    end
    # @end
    # @if aarch64-unknown-linux-gnu
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/tars-@VERSION@-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-gnu@"
    end
    # @end
  end

  on_macos do
    # @if x86_64-apple-darwin
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/tars-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
    # @end
    # @if aarch64-apple-darwin
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/tars-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    # @end
  end

  def install
    bin.install "bin/tars"
    lib.install "lib/tars"
    man1.install Dir["share/man/man1/*"]
    doc.install Dir["share/doc/tars/*"]
    bash_completion.install "share/bash-completion/completions/tars"
    zsh_completion.install "share/zsh/site-functions/_tars"
    fish_completion.install "share/fish/vendor_completions.d/tars.fish"
  end

  service do
    run [opt_bin/"tars", "watch"]
    keep_alive crashed: true
    process_type :background
  end

  test do
    (testpath/"notes/Hedgehog.md").write "# Hedgehog\n\nIt sleeps under the wood pile.\n"
    system bin/"tars", "init", testpath/"notes"
    system bin/"tars", "index"
    assert_match "wood pile", shell_output("#{bin}/tars svec where does the animal with spines rest")
  end
end
