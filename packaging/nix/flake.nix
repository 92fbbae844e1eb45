# Flake of tars, made by scripts/release/pack from packaging/nix/flake.nix.
{
  description = "Local memory for people and their agents over a vault of markdown";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      version = "@VERSION@";
      archives = {
        # @if x86_64-unknown-linux-gnu
        x86_64-linux = { triple = "x86_64-unknown-linux-gnu"; sha256 = "@SHA256:x86_64-unknown-linux-gnu@"; };
        # @end
        # @if aarch64-unknown-linux-gnu
        aarch64-linux = { triple = "aarch64-unknown-linux-gnu"; sha256 = "@SHA256:aarch64-unknown-linux-gnu@"; };
        # @end
        # @if x86_64-apple-darwin
        x86_64-darwin = { triple = "x86_64-apple-darwin"; sha256 = "@SHA256:x86_64-apple-darwin@"; };
        # @end
        # @if aarch64-apple-darwin
        aarch64-darwin = { triple = "aarch64-apple-darwin"; sha256 = "@SHA256:aarch64-apple-darwin@"; };
        # @end
      };
      package = system: { triple, sha256 }:
        let pkgs = nixpkgs.legacyPackages.${system};
        in pkgs.stdenv.mkDerivation {
          pname = "tars-memory";
          inherit version;
          src = pkgs.fetchurl {
            url = "@REPOSITORY@/releases/download/v${version}/tars-${version}-${triple}.tar.gz";
            inherit sha256;
          };
          nativeBuildInputs = pkgs.lib.optional pkgs.stdenv.isLinux pkgs.autoPatchelfHook;
          buildInputs = pkgs.lib.optional pkgs.stdenv.isLinux pkgs.stdenv.cc.cc.lib;
          dontStrip = true;
          installPhase = ''
            mkdir -p $out
            cp -r bin lib share $out/
          '';
          meta = {
            homepage = "@REPOSITORY@";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "tars";
          };
        };
    in {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) archives;
    };
}
